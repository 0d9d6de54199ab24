#include "emulator/runtime/order_key_message.h"

namespace troupe {

runtime::OrderKey to_message(const OrderKey& key) {
  runtime::OrderKey message;
  message.set_time_ns(to_ns(key.time));
  message.set_step(key.step);
  message.set_class_(static_cast<std::uint32_t>(key.event_class));
  message.set_tie(key.tie);
  message.set_sender(key.sender);
  message.set_sequence(key.sequence);
  return message;
}

OrderKey from_message(const runtime::OrderKey& key) {
  return {from_ns(key.time_ns()), key.step(),    static_cast<EventClass>(key.class_()), key.tie(),
          key.sender(),           key.sequence()};
}

}  // namespace troupe
