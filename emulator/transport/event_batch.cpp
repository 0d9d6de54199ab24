#include "emulator/transport/event_batch.h"

#include <array>
#include <cstring>
#include <utility>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "emulator/transport/event_codec.h"
#include "emulator/transport/frame.h"
#include "messages/envelope.h"
#include "messages/wire.pb.h"

namespace troupe::transport {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr std::uint32_t tag_of(int field, WireFormatLite::WireType type) {
  return static_cast<std::uint32_t>(field) << 3 | static_cast<std::uint32_t>(type);
}
constexpr auto kFixed = WireFormatLite::WIRETYPE_FIXED64;
constexpr auto kVarint = WireFormatLite::WIRETYPE_VARINT;
constexpr auto kBytes = WireFormatLite::WIRETYPE_LENGTH_DELIMITED;

// The batch's length is known at the end only; five bytes hold any, where protobuf takes the
// leading zeros.
constexpr std::size_t kLengthBytes = 5;
// Of a batch: its tag and that length; of an event without its payload: fixed fields and varints at
// their longest, and the lengths of three messages.
constexpr std::size_t kBatchHead = 1 + kLengthBytes;
constexpr std::size_t kEventHeadMax = 160;

// ---- writing ----

class FieldWriter {
 public:
  explicit FieldWriter(std::uint8_t* to) : at_(to) {}

  void fixed(int field, std::uint64_t value) {
    tag(field, kFixed);
    at_ = CodedOutputStream::WriteLittleEndian64ToArray(value, at_);
  }
  void varint(int field, std::uint64_t value) {
    tag(field, kVarint);
    at_ = CodedOutputStream::WriteVarint64ToArray(value, at_);
  }
  void length(int field, std::size_t value) {
    tag(field, kBytes);
    at_ = CodedOutputStream::WriteVarint64ToArray(value, at_);
  }
  /// A short message, written by `fill`: its length takes one byte.
  template <class Fill>
  void message(int field, Fill fill) {
    tag(field, kBytes);
    std::uint8_t* const length = at_++;
    fill();
    *length = static_cast<std::uint8_t>(at_ - length - 1);
  }
  [[nodiscard]] std::uint8_t* at() const { return at_; }

 private:
  void tag(int field, WireFormatLite::WireType type) {
    at_ = CodedOutputStream::WriteVarint32ToArray(tag_of(field, type), at_);
  }
  std::uint8_t* at_;
};

void write_key(const OrderKey& key, FieldWriter& out) {
  using Message = runtime::OrderKey;
  out.varint(Message::kTimeNsFieldNumber, static_cast<std::uint64_t>(to_ns(key.time)));
  out.varint(Message::kStepFieldNumber, key.step);
  out.varint(Message::kClassFieldNumber, static_cast<std::uint64_t>(key.event_class));
  out.fixed(Message::kTieFieldNumber, key.tie);
  out.fixed(Message::kSenderFieldNumber, key.sender);
  out.varint(Message::kSequenceFieldNumber, key.sequence);
}

void write_address(const Address& address, FieldWriter& out) {
  out.fixed(wire::Address::kHostFieldNumber, address.host);
  out.fixed(wire::Address::kActorFieldNumber, address.actor);
  out.varint(wire::Address::kIncarnationFieldNumber, address.incarnation);
}

// All but the payload. Returns its end.
std::uint8_t* write_event_head(const Departure& departure, std::uint8_t* to) {
  const Delivery& delivery = departure.event.delivery;
  FieldWriter out(to);
  out.message(wire::Event::kKeyFieldNumber, [&] { write_key(departure.key, out); });
  out.message(wire::Event::kToFieldNumber, [&] { write_address(departure.event.to, out); });
  out.message(wire::Event::kSenderFieldNumber, [&] { write_address(delivery.sender, out); });
  out.fixed(wire::Event::kStreamFieldNumber, delivery.stream);
  out.varint(wire::Event::kLinkFieldNumber, static_cast<std::uint64_t>(departure.event.link));
  return out.at();
}

// ---- reading ----

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes)
      : in_(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {}

  /// The next field's tag; 0 at the end, and where no tag is.
  std::uint32_t next() { return in_.ReadTagNoLastTag(); }
  bool at_end() { return in_.BytesUntilLimit() <= 0 && in_.ExpectAtEnd(); }
  bool read(std::uint64_t& value, std::uint32_t tag) {
    return (tag & 7U) == kFixed ? in_.ReadLittleEndian64(&value)
                                : (tag & 7U) == kVarint && in_.ReadVarint64(&value);
  }
  bool read(std::string_view& bytes) {
    std::uint32_t length = 0;
    if (!in_.ReadVarint32(&length)) return false;
    const void* data = nullptr;
    int left = 0;
    in_.GetDirectBufferPointerInline(&data, &left);
    if (length > static_cast<std::uint32_t>(left)) return false;
    bytes = {static_cast<const char*>(data), length};
    return in_.Skip(static_cast<int>(length));
  }

 private:
  CodedInputStream in_;
};

// Calls `take(tag, value)` for each number and `take(tag, bytes)` for each field with a length;
// false if the bytes are no message or `take` says so.
template <class Number, class Bytes>
bool for_each_field(std::string_view message, Number number, Bytes bytes) {
  FieldReader in(message);
  while (const std::uint32_t tag = in.next()) {
    if ((tag & 7U) == kBytes) {
      std::string_view field;
      if (!in.read(field) || !bytes(tag >> 3, field)) return false;
    } else {
      std::uint64_t value = 0;
      if (!in.read(value, tag) || !number(tag >> 3, value)) return false;
    }
  }
  return in.at_end();
}

constexpr auto kNoBytes = [](std::uint32_t, std::string_view) { return false; };

bool read_key(std::string_view bytes, OrderKey& key) {
  using Message = runtime::OrderKey;
  return for_each_field(
      bytes,
      [&key](std::uint32_t field, std::uint64_t value) {
        switch (field) {
          case Message::kTimeNsFieldNumber:
            key.time = from_ns(static_cast<std::int64_t>(value));
            return true;
          case Message::kStepFieldNumber:
            key.step = static_cast<std::uint32_t>(value);
            return true;
          case Message::kClassFieldNumber:
            key.event_class = static_cast<EventClass>(value);
            return value <= static_cast<std::uint64_t>(EventClass::Timer);
          case Message::kTieFieldNumber:
            key.tie = value;
            return true;
          case Message::kSenderFieldNumber:
            key.sender = value;
            return true;
          case Message::kSequenceFieldNumber:
            key.sequence = value;
            return true;
          default:
            return false;
        }
      },
      kNoBytes);
}

bool read_address(std::string_view bytes, Address& address) {
  return for_each_field(
      bytes,
      [&address](std::uint32_t field, std::uint64_t value) {
        switch (field) {
          case wire::Address::kHostFieldNumber:
            address.host = value;
            return true;
          case wire::Address::kActorFieldNumber:
            address.actor = value;
            return true;
          case wire::Address::kIncarnationFieldNumber:
            address.incarnation = static_cast<std::uint32_t>(value);
            return true;
          default:
            return false;
        }
      },
      kNoBytes);
}

}  // namespace

BatchWriter::BatchWriter(std::uint32_t from) : from_(from) {
  begin();
}

void BatchWriter::begin() {
  std::array<std::uint8_t, 16> head{};
  FieldWriter out(head.data());
  out.varint(wire::Batch::kFromFieldNumber, from_);
  frame_.assign(kFrameHead + kBatchHead, '\0');
  frame_.append(reinterpret_cast<const char*>(head.data()),
                static_cast<std::size_t>(out.at() - head.data()));
  events_ = 0;
}

void BatchWriter::add(const Departure& departure) {
  const Payload& payload = departure.event.delivery.payload;
  std::array<std::uint8_t, kEventHeadMax> head;
  const auto head_size =
      static_cast<std::size_t>(write_event_head(departure, head.data()) - head.data());
  const std::size_t payload_size = envelope_size(payload);
  std::array<std::uint8_t, 16> payload_head;
  FieldWriter out(payload_head.data());
  out.length(wire::Event::kPayloadFieldNumber, payload_size);
  const auto payload_head_size = static_cast<std::size_t>(out.at() - payload_head.data());
  std::array<std::uint8_t, 16> event_head;
  FieldWriter event(event_head.data());
  event.length(wire::Batch::kEventsFieldNumber, head_size + payload_head_size + payload_size);

  const auto append = [this](const auto& bytes, std::size_t size) {
    frame_.append(reinterpret_cast<const char*>(bytes.data()), size);
  };
  append(event_head, static_cast<std::size_t>(event.at() - event_head.data()));
  append(head, head_size);
  append(payload_head, payload_head_size);
  const std::size_t at = frame_.size();
  frame_.resize(at + payload_size);
  write_envelope(payload, reinterpret_cast<std::uint8_t*>(frame_.data()) + at);
  ++events_;
}

std::string BatchWriter::take() {
  std::uint8_t* to = reinterpret_cast<std::uint8_t*>(frame_.data()) + kFrameHead;
  *to++ = static_cast<std::uint8_t>(tag_of(wire::Message::kBatchFieldNumber, kBytes));
  std::size_t length = frame_.size() - kFrameHead - kBatchHead;
  for (std::size_t i = 0; i < kLengthBytes; ++i, length >>= 7) {
    *to++ = static_cast<std::uint8_t>((length & 0x7f) | (i + 1 < kLengthBytes ? 0x80 : 0));
  }
  seal_frame(frame_);
  std::string frame = std::exchange(frame_, {});
  frame_.reserve(frame.capacity());
  begin();
  return frame;
}

std::optional<ReceivedBatch> batch_of(std::string_view message) {
  FieldReader outer(message);
  std::string_view bytes;
  if (outer.next() != tag_of(wire::Message::kBatchFieldNumber, kBytes) || !outer.read(bytes) ||
      bytes.data() + bytes.size() != message.data() + message.size()) {
    return std::nullopt;
  }
  ReceivedBatch batch;
  const bool whole = for_each_field(
      bytes,
      [&batch](std::uint32_t field, std::uint64_t value) {
        batch.from = static_cast<std::uint32_t>(value);
        return field == wire::Batch::kFromFieldNumber;
      },
      [&batch](std::uint32_t field, std::string_view event) {
        batch.events.push_back(event);
        return field == wire::Batch::kEventsFieldNumber;
      });
  if (!whole) return std::nullopt;
  return batch;
}

Result<Departure> decode_event(std::string_view event) {
  Departure departure;
  std::uint64_t link = 0;
  std::string_view envelope;
  const bool whole = for_each_field(
      event,
      [&](std::uint32_t field, std::uint64_t value) {
        if (field == wire::Event::kStreamFieldNumber) {
          departure.event.delivery.stream = value;
          return true;
        }
        link = value;
        return field == wire::Event::kLinkFieldNumber;
      },
      [&](std::uint32_t field, std::string_view bytes) {
        switch (field) {
          case wire::Event::kKeyFieldNumber:
            return read_key(bytes, departure.key);
          case wire::Event::kToFieldNumber:
            return read_address(bytes, departure.event.to);
          case wire::Event::kSenderFieldNumber:
            return read_address(bytes, departure.event.delivery.sender);
          default:
            envelope = bytes;
            return field == wire::Event::kPayloadFieldNumber;
        }
      });
  if (!whole || envelope.empty()) return fail("an event that does not parse");
  if (link >= kLinkNames.size()) return fail("an event on an unknown link");
  departure.event.link = static_cast<Link>(link);
  // Its own copy: what is kept of one event must not keep the whole frame.
  const std::shared_ptr<char[]> own = std::make_shared_for_overwrite<char[]>(envelope.size());
  std::memcpy(own.get(), envelope.data(), envelope.size());
  Result<Payload> payload = read_envelope({own.get(), envelope.size()}, own);
  if (!payload) return tl::unexpected(payload.error());
  departure.event.delivery.payload = *std::move(payload);
  return departure;
}

}  // namespace troupe::transport
