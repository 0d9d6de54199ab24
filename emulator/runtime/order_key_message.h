// An order key as the wire and the journal have it.
#pragma once

#include "emulator/runtime/order_key.h"
#include "messages/runtime.pb.h"

namespace troupe {

[[nodiscard]] runtime::OrderKey to_message(const OrderKey& key);
[[nodiscard]] OrderKey from_message(const runtime::OrderKey& key);

}  // namespace troupe
