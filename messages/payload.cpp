#include "messages/payload.h"

#include <algorithm>
#include <unordered_map>

#include <google/protobuf/descriptor.h>

#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe {
namespace {

// The serialised bytes, in a buffer that lives as long as the thread: hashing must not allocate for
// each message.
std::string_view serialise_scratch(const google::protobuf::Message& message) {
  thread_local std::string buffer;
  const std::size_t size = message.ByteSizeLong();
  if (buffer.size() < size) buffer.resize(std::max<std::size_t>(size, 4096));
  auto* begin = reinterpret_cast<std::uint8_t*>(buffer.data());
  message.SerializeWithCachedSizesToArray(begin);
  return {buffer.data(), size};
}

// The pointer that is there, or this one, which is then taken over.
template <class T>
const T* set_once(std::atomic<const T*>& place, std::unique_ptr<const T> value) {
  const T* there = nullptr;
  if (place.compare_exchange_strong(there, value.get(), std::memory_order_acq_rel)) {
    return value.release();
  }
  return there;
}

}  // namespace

Payload::Payload(std::unique_ptr<const google::protobuf::Message> message,
                 std::vector<Payload> attachments) {
  const google::protobuf::Descriptor& descriptor = *message->GetDescriptor();
  using Owned = std::unique_ptr<const google::protobuf::Message>;
  auto body = std::make_shared<BodyOf<Owned>>(std::move(message));
  // Kept for each thread: protobuf's own table is locked, and hashing a name takes its time. Looked
  // up only.
  thread_local std::unordered_map<const google::protobuf::Descriptor*, Type> known;
  Type& type = known[&descriptor];
  if (type.prototype == nullptr) {
    type = type_of(descriptor, body->owned->GetReflection()->GetMessageFactory());
  }
  body->type = type;
  body->message.store(body->owned.get(), std::memory_order_relaxed);
  body->attachments = std::move(attachments);
  body_ = std::move(body);
}

std::uint64_t Payload::kind_of(const google::protobuf::Descriptor& type) {
  return hash_bytes(type.full_name());
}

const std::vector<Payload>& Payload::attachments() const {
  return body_->attachments;
}

const std::string& Payload::type_name() const {
  return body_->type.prototype->GetDescriptor()->name();
}

Payload::Type Payload::type_of(const google::protobuf::Descriptor& type,
                               google::protobuf::MessageFactory* factory) {
  return {factory->GetPrototype(&type), kind_of(type), &type.full_name()};
}

Payload Payload::received(std::string_view name, std::string_view bytes,
                          std::shared_ptr<const void> keeps, std::vector<Payload> attachments) {
  // Only known names are kept, which live for ever.
  thread_local std::unordered_map<std::string_view, Type> known;
  auto type = known.find(name);
  if (type == known.end()) {
    const google::protobuf::Descriptor* descriptor =
        google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
            std::string(name));
    if (descriptor == nullptr) return {};
    type = known
               .emplace(descriptor->full_name(),
                        type_of(*descriptor, google::protobuf::MessageFactory::generated_factory()))
               .first;
  }
  auto body = std::make_shared<ReceivedBody>();
  body->type = type->second;
  body->bytes = bytes;
  body->keeps = std::move(keeps);
  body->attachments = std::move(attachments);
  body->from_bytes = true;
  return Payload(std::move(body));
}

const google::protobuf::Message& Payload::parse() const {
  std::unique_ptr<google::protobuf::Message> message(body_->type.prototype->New());
  const std::string_view from = shared_bytes();
  const bool parsed = message->ParseFromArray(from.data(), static_cast<int>(from.size()));
  TROUPE_ASSERT(parsed, "the bytes of a " + full_type_name() + " do not parse");
  return *set_once<google::protobuf::Message>(body_->message, std::move(message));
}

std::uint64_t Payload::hash() const {
  std::uint64_t hash = body_->hash.load(std::memory_order_relaxed);
  if (hash != 0) return hash;
  const bool has_bytes =
      body_->from_bytes || body_->serialised.load(std::memory_order_relaxed) != nullptr;
  hash = mix(kind(), hash_bytes(has_bytes ? shared_bytes() : serialise_scratch(message())));
  for (const Payload& attachment : body_->attachments) hash = mix(hash, attachment.hash());
  if (hash == 0) hash = 1;
  body_->hash.store(hash, std::memory_order_relaxed);
  return hash;
}

std::string Payload::bytes() const {
  return body_->from_bytes ? std::string(shared_bytes()) : message().SerializeAsString();
}

std::string_view Payload::shared_bytes() const {
  if (body_->from_bytes) return static_cast<const ReceivedBody&>(*body_).bytes;
  const std::string* bytes = body_->serialised.load(std::memory_order_acquire);
  if (bytes == nullptr) {
    bytes = set_once<std::string>(body_->serialised,
                                  std::make_unique<std::string>(message().SerializeAsString()));
  }
  return *bytes;
}

}  // namespace troupe
