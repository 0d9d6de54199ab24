// A payload in the form in which it crosses a process or is kept in a journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "messages/payload.h"
#include "messages/result.h"
#include "messages/runtime.pb.h"

namespace troupe {

[[nodiscard]] runtime::Envelope to_envelope(const Payload& payload);
/// The same into an envelope that is empty and may have been used before.
void fill_envelope(const Payload& payload, runtime::Envelope& envelope);
/// Fails on a type that this program does not know, and on bytes that do not parse as it.
Result<Payload> from_envelope(const runtime::Envelope& envelope);

/// Attachments of attachments are never deeper.
inline constexpr int kEnvelopeDepthMax = 32;

// The same straight to and from the bytes of a runtime::Envelope, for what crosses processes all
// the time.

[[nodiscard]] std::size_t envelope_size(const Payload& payload);
/// Writes envelope_size() bytes; returns the end of them.
std::uint8_t* write_envelope(const Payload& payload, std::uint8_t* to);
/// The payload refers to the bytes, which live as long as `keeps`, and parses its messages when
/// they are read. Fails on a type that this program does not know and on bytes that are no
/// envelope.
Result<Payload> read_envelope(std::string_view bytes, const std::shared_ptr<const void>& keeps,
                              int depth = 0);

}  // namespace troupe
