#include "messages/payload.h"

#include <algorithm>
#include <unordered_map>

#include <google/protobuf/descriptor.h>

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

struct KnownType {
  const google::protobuf::Message* prototype = nullptr;
  std::uint64_t kind = 0;
};

// Kept for each thread: protobuf's own table is locked, and hashing a name takes its time. Looked
// up only.
KnownType& known_type(const google::protobuf::Descriptor* type) {
  thread_local std::unordered_map<const google::protobuf::Descriptor*, KnownType> known;
  return known[type];
}

}  // namespace

Payload::Payload(std::unique_ptr<const google::protobuf::Message> message,
                 std::vector<Payload> attachments) {
  const google::protobuf::Descriptor& descriptor = *message->GetDescriptor();
  using Owned = std::unique_ptr<const google::protobuf::Message>;
  auto body = std::make_shared<BodyOf<Owned>>(std::move(message));
  KnownType& type = known_type(&descriptor);
  if (type.prototype == nullptr) {
    type = {body->owned->GetReflection()->GetMessageFactory()->GetPrototype(&descriptor),
            kind_of(descriptor)};
  }
  body->type = {type.prototype, type.kind};
  body->message = body->owned.get();
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
  return body_->message->GetDescriptor()->name();
}

std::uint64_t Payload::hash() const {
  std::uint64_t hash = body_->hash.load(std::memory_order_relaxed);
  if (hash != 0) return hash;
  hash = mix(kind(), hash_bytes(serialise_scratch(*body_->message)));
  for (const Payload& attachment : body_->attachments) hash = mix(hash, attachment.hash());
  if (hash == 0) hash = 1;
  body_->hash.store(hash, std::memory_order_relaxed);
  return hash;
}

std::string Payload::bytes() const {
  return body_->message->SerializeAsString();
}

}  // namespace troupe
