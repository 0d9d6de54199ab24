// Events and addresses as the wire has them, and back.
#pragma once

#include "emulator/runtime/virtual_runtime.h"
#include "messages/result.h"
#include "messages/wire.pb.h"

namespace troupe::transport {

[[nodiscard]] wire::Event to_wire(const Departure& departure);
/// Fails on an unknown link or class, on a payload of an unknown type or of bytes that do not
/// parse.
[[nodiscard]] Result<Departure> from_wire(const wire::Event& event);

[[nodiscard]] wire::Address to_wire(const Address& address);
[[nodiscard]] Address from_wire(const wire::Address& address);

}  // namespace troupe::transport
