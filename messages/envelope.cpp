#include "messages/envelope.h"

#include <cstring>
#include <unordered_map>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace troupe {
namespace {

using google::protobuf::Message;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

// Looked up once a thread: protobuf's own tables are shared and locked. Only known names are kept.
const Message* prototype_of(std::string_view type) {
  thread_local std::unordered_map<std::string_view, const Message*> known;
  if (const auto it = known.find(type); it != known.end()) return it->second;
  const google::protobuf::Descriptor* descriptor =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(std::string(type));
  if (descriptor == nullptr) return nullptr;
  const Message* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor);
  known.emplace(descriptor->full_name(), prototype);  // which lives for ever
  return prototype;
}

// ---- protobuf's wire format, of fields that have a length ----

std::size_t length_and(std::size_t length) {
  return CodedOutputStream::VarintSize64(length) + length;
}

std::uint8_t* write_head(int field, std::size_t length, std::uint8_t* to) {
  to = WireFormatLite::WriteTagToArray(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED, to);
  return CodedOutputStream::WriteVarint64ToArray(length, to);
}

std::uint8_t* write_bytes(int field, std::string_view bytes, std::uint8_t* to) {
  to = write_head(field, bytes.size(), to);
  std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}

// False if the field is none of an envelope's, all of which have a length.
bool read_bytes(std::uint32_t tag, CodedInputStream& in, std::string_view& field) {
  const int number = WireFormatLite::GetTagFieldNumber(tag);
  std::uint32_t length = 0;
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED ||
      number < runtime::Envelope::kTypeFieldNumber ||
      number > runtime::Envelope::kAttachmentsFieldNumber || !in.ReadVarint32(&length)) {
    return false;
  }
  const void* data = nullptr;
  int left = 0;
  in.GetDirectBufferPointerInline(&data, &left);
  if (length > static_cast<std::uint32_t>(left)) return false;
  field = {static_cast<const char*>(data), length};
  return in.Skip(static_cast<int>(length));
}

}  // namespace

runtime::Envelope to_envelope(const Payload& payload) {
  runtime::Envelope envelope;
  fill_envelope(payload, envelope);
  return envelope;
}

void fill_envelope(const Payload& payload, runtime::Envelope& envelope) {
  envelope.set_type(payload.full_type_name());
  const std::string_view bytes = payload.shared_bytes();
  envelope.set_body(bytes.data(), bytes.size());
  for (const Payload& attachment : payload.attachments()) {
    fill_envelope(attachment, *envelope.add_attachments());
  }
}

std::size_t envelope_size(const Payload& payload) {
  const auto field = [](std::size_t length) { return 1 + length_and(length); };
  std::size_t size = field(payload.full_type_name().size()) + field(payload.shared_bytes().size());
  for (const Payload& attachment : payload.attachments()) size += field(envelope_size(attachment));
  return size;
}

std::uint8_t* write_envelope(const Payload& payload, std::uint8_t* to) {
  to = write_bytes(runtime::Envelope::kTypeFieldNumber, payload.full_type_name(), to);
  to = write_bytes(runtime::Envelope::kBodyFieldNumber, payload.shared_bytes(), to);
  for (const Payload& attachment : payload.attachments()) {
    to = write_head(runtime::Envelope::kAttachmentsFieldNumber, envelope_size(attachment), to);
    to = write_envelope(attachment, to);
  }
  return to;
}

Result<Payload> read_envelope(std::string_view bytes, const std::shared_ptr<const void>& keeps,
                              int depth) {
  if (depth > kEnvelopeDepthMax) return fail("attachments that are nested too deep");
  std::string_view type;
  std::string_view body;
  std::vector<Payload> attachments;
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    std::string_view field;
    if (!read_bytes(tag, in, field)) return fail("bytes that are no envelope");
    switch (WireFormatLite::GetTagFieldNumber(tag)) {
      case runtime::Envelope::kTypeFieldNumber:
        type = field;
        break;
      case runtime::Envelope::kBodyFieldNumber:
        body = field;
        break;
      default:
        Result<Payload> attachment = read_envelope(field, keeps, depth + 1);
        if (!attachment) return attachment;
        attachments.push_back(*std::move(attachment));
    }
  }
  if (!in.ConsumedEntireMessage()) return fail("bytes that are no envelope");
  Payload payload = Payload::received(type, body, keeps, std::move(attachments));
  if (!payload) return fail("unknown message type '" + std::string(type) + "'");
  return payload;
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
