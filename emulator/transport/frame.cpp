#include "emulator/transport/frame.h"

#include <array>
#include <cstring>

#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe::transport {
namespace {

constexpr std::array<char, 4> kMagic = {'T', 'R', 'P', 'E'};

// As it stands on the wire. Workers run one build, so on one kind of machine: its byte order is
// that of the machine, and a foreign one does not get past the version.
struct Header {
  std::array<char, 4> magic = kMagic;
  std::uint16_t protocol = kProtocol;
  std::uint16_t reserved = 0;
  std::uint32_t length = 0;
  std::uint32_t reserved_too = 0;
  std::uint64_t hash = 0;
};
static_assert(sizeof(Header) == kFrameHead);

Header header_of(std::string_view body) {
  Header header;
  header.length = static_cast<std::uint32_t>(body.size());
  header.hash = hash_bytes(body);
  return header;
}

}  // namespace

std::string_view name_of(Refusal refusal) {
  constexpr std::array<std::string_view, kRefusals> kNames = {"garbage", "version", "too_large",
                                                              "torn",    "damaged", "nonsense"};
  return kNames.at(static_cast<std::size_t>(refusal));
}

std::string encode_frame(const wire::Message& message) {
  std::string frame(frame_size(message), '\0');
  write_frame(message, frame.size(), frame.data());
  return frame;
}

std::size_t frame_size(const wire::Message& message) {
  const std::size_t size = sizeof(Header) + message.ByteSizeLong();
  TROUPE_ASSERT(size <= kFrameMax,
                "a message of " + std::to_string(size) + " bytes does not fit a frame");
  return size;
}

void write_frame(const wire::Message& message, std::size_t size, char* to) {
  char* const body = to + sizeof(Header);
  message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(body));
  const Header header = header_of({body, size - sizeof(Header)});
  std::memcpy(to, &header, sizeof(Header));
}

void seal_frame(std::string& frame) {
  TROUPE_ASSERT(frame.size() >= kFrameHead && frame.size() <= kFrameMax,
                "a frame of " + std::to_string(frame.size()) + " bytes");
  const Header header = header_of(std::string_view(frame).substr(kFrameHead));
  std::memcpy(frame.data(), &header, sizeof(Header));
}

tl::expected<std::string_view, Refusal> open_frame(std::string_view frame) {
  if (frame.size() > kFrameMax) return tl::unexpected(Refusal::TooLarge);
  Header header;
  if (frame.size() < kMagic.size() ||
      std::memcmp(frame.data(), kMagic.data(), kMagic.size()) != 0) {
    return tl::unexpected(Refusal::Garbage);
  }
  if (frame.size() < sizeof(Header)) return tl::unexpected(Refusal::Torn);
  std::memcpy(&header, frame.data(), sizeof(Header));
  if (header.protocol != kProtocol) return tl::unexpected(Refusal::Version);
  const std::string_view body = frame.substr(sizeof(Header));
  if (body.size() != header.length) return tl::unexpected(Refusal::Torn);
  if (hash_bytes(body) != header.hash) return tl::unexpected(Refusal::Damaged);
  return body;
}

tl::expected<wire::Message, Refusal> decode_frame(std::string_view frame) {
  const tl::expected<std::string_view, Refusal> body = open_frame(frame);
  if (!body) return tl::unexpected(body.error());
  wire::Message message;
  if (!message.ParseFromArray(body->data(), static_cast<int>(body->size()))) {
    return tl::unexpected(Refusal::Damaged);
  }
  return message;
}

}  // namespace troupe::transport
