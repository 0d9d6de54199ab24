// Events, addresses and refusals as the wire has them, and back.
#pragma once

#include <string>

#include "emulator/runtime/virtual_runtime.h"
#include "emulator/transport/frame_socket.h"
#include "messages/result.h"
#include "messages/wire.pb.h"

namespace troupe::transport {

/// Without its payload where whoever reads it has that already.
[[nodiscard]] wire::Event to_wire(const Departure& departure, bool with_payload = true);
/// Fails on an unknown link or class, and on a payload of an unknown type or of bytes that do not
/// parse.
[[nodiscard]] Result<Departure> from_wire(const wire::Event& event);

[[nodiscard]] wire::Address to_wire(const Address& address);
[[nodiscard]] Address from_wire(const wire::Address& address);

[[nodiscard]] wire::Refusals to_wire(const Refused& refused);
[[nodiscard]] Refused from_wire(const wire::Refusals& refusals);

}  // namespace troupe::transport
