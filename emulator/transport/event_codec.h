// Events and addresses as the wire has them, and back.
#pragma once

#include <string>

#include "emulator/runtime/virtual_runtime.h"
#include "messages/result.h"
#include "messages/wire.pb.h"

namespace troupe::transport {

/// A wire::Event, as a batch holds it.
[[nodiscard]] std::string encode_event(const Departure& departure);
/// Fails on bytes that do not parse, on an unknown link or class, and on a payload of an unknown
/// type.
[[nodiscard]] Result<Departure> decode_event(const std::string& event);

[[nodiscard]] wire::Address to_wire(const Address& address);
[[nodiscard]] Address from_wire(const wire::Address& address);

}  // namespace troupe::transport
