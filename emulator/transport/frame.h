// How a message stands on the wire: a header that says whose it is, of which version, how long it
// is and what its bytes hash to, then the bytes. What does not fit is refused before it is parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "messages/result.h"
#include "messages/wire.pb.h"

namespace troupe::transport {

/// Version of the protocol: of the header and of messages/wire.proto.
inline constexpr std::uint16_t kProtocol = 1;
/// No frame is longer, in bytes.
inline constexpr std::size_t kFrameMax = std::size_t{64} << 20;

/// Why a frame was refused.
enum class Refusal : std::uint8_t {
  Garbage,   ///< not a frame of ours
  Version,   ///< of another version of the protocol
  TooLarge,  ///< longer than kFrameMax
  Torn,      ///< shorter or longer than it says
  Damaged,   ///< its bytes do not hash to what it says, or do not parse
  Nonsense,  ///< a message of ours that makes no sense from that peer at that time
};
inline constexpr std::size_t kRefusals = 6;
/// As summary.json has it.
[[nodiscard]] std::string_view name_of(Refusal refusal);

/// The message must fit a frame: asserted.
[[nodiscard]] std::string encode_frame(const wire::Message& message);
/// How long its frame is; then the frame, written where so much room is.
[[nodiscard]] std::size_t frame_size(const wire::Message& message);
void write_frame(const wire::Message& message, std::size_t size, char* to);
[[nodiscard]] tl::expected<wire::Message, Refusal> decode_frame(std::string_view frame);

// The same for who writes and reads the bytes of the message itself.

inline constexpr std::size_t kFrameHead = 24;
/// Fills in the head of a frame whose message stands behind it.
void seal_frame(std::string& frame);
/// The message's bytes, whole.
[[nodiscard]] tl::expected<std::string_view, Refusal> open_frame(std::string_view frame);

}  // namespace troupe::transport
