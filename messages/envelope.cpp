#include "messages/envelope.h"

#include <google/protobuf/descriptor.h>

namespace troupe {

runtime::Envelope to_envelope(const Payload& payload) {
  runtime::Envelope envelope;
  envelope.set_type(payload.message().GetDescriptor()->full_name());
  envelope.set_body(payload.bytes());
  for (const Payload& attachment : payload.attachments()) {
    *envelope.add_attachments() = to_envelope(attachment);
  }
  return envelope;
}

Result<Payload> from_envelope(const runtime::Envelope& envelope) {
  using google::protobuf::Descriptor;
  const Descriptor* type =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(envelope.type());
  if (type == nullptr) return fail("unknown message type '" + envelope.type() + "'");
  std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  if (!message->ParseFromString(envelope.body())) {
    return fail("the bytes of a " + envelope.type() + " do not parse");
  }
  std::vector<Payload> attachments;
  for (const runtime::Envelope& inner : envelope.attachments()) {
    Result<Payload> attachment = from_envelope(inner);
    if (!attachment) return attachment;
    attachments.push_back(*std::move(attachment));
  }
  return Payload(std::move(message), std::move(attachments));
}

}  // namespace troupe
