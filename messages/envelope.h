// A payload in the form in which it crosses a process or is kept in a journal.
#pragma once

#include "messages/payload.h"
#include "messages/result.h"
#include "messages/runtime.pb.h"

namespace troupe {

[[nodiscard]] runtime::Envelope to_envelope(const Payload& payload);
/// The same into an envelope that is empty and may have been used before.
void fill_envelope(const Payload& payload, runtime::Envelope& envelope);
/// Fails on a type that this program does not know, and on bytes that do not parse as it.
Result<Payload> from_envelope(const runtime::Envelope& envelope);

}  // namespace troupe
