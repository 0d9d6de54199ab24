#include "messages/envelope.h"

#include <unordered_map>

#include <google/protobuf/descriptor.h>

namespace troupe {
namespace {

using google::protobuf::Message;

// Looked up once a thread: protobuf's own tables are shared and locked. Only known names are kept.
const Message* prototype_of(const std::string& type) {
  thread_local std::unordered_map<std::string, const Message*> known;
  if (const auto it = known.find(type); it != known.end()) return it->second;
  const google::protobuf::Descriptor* descriptor =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(type);
  if (descriptor == nullptr) return nullptr;
  const Message* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor);
  known.emplace(type, prototype);
  return prototype;
}

}  // namespace

runtime::Envelope to_envelope(const Payload& payload) {
  runtime::Envelope envelope;
  fill_envelope(payload, envelope);
  return envelope;
}

void fill_envelope(const Payload& payload, runtime::Envelope& envelope) {
  envelope.set_type(payload.message().GetDescriptor()->full_name());
  payload.message().SerializeToString(envelope.mutable_body());
  for (const Payload& attachment : payload.attachments()) {
    fill_envelope(attachment, *envelope.add_attachments());
  }
}

Result<Payload> from_envelope(const runtime::Envelope& envelope) {
  const Message* prototype = prototype_of(envelope.type());
  if (prototype == nullptr) return fail("unknown message type '" + envelope.type() + "'");
  std::unique_ptr<Message> message(prototype->New());
  if (!message->ParseFromString(envelope.body())) {
    return fail("the bytes of a " + envelope.type() + " do not parse");
  }
  std::vector<Payload> attachments;
  attachments.reserve(static_cast<std::size_t>(envelope.attachments_size()));
  for (const runtime::Envelope& inner : envelope.attachments()) {
    Result<Payload> attachment = from_envelope(inner);
    if (!attachment) return attachment;
    attachments.push_back(*std::move(attachment));
  }
  return Payload(std::move(message), std::move(attachments));
}

}  // namespace troupe
