#include "emulator/journal/fact_message.h"

#include "emulator/runtime/order_key_message.h"
#include "messages/envelope.h"

namespace troupe {

journal::Fact to_message(const FactRecord& record) {
  journal::Fact message;
  *message.mutable_key() = to_message(record.key);
  message.set_actor(record.actor);
  *message.mutable_fact() = to_envelope(record.fact);
  return message;
}

}  // namespace troupe
