// The one contract: an actor is a deterministic function of its configuration, its own random
// stream and its ordered, time-stamped inbox. It reads no clock, thread, file, socket or global;
// all that it does goes out through a Context.
#pragma once

#include <cstdint>

#include "messages/address.h"
#include "messages/payload.h"

namespace troupe {

class Context;

/// Identifies a timer of one actor.
using TimerId = std::uint64_t;

/// A message as it reaches an actor. The time is the Context's.
struct Delivery {
  Payload payload;
  Address sender;            ///< the actor itself for a timer; empty for the runtime's own messages
  std::uint64_t stream = 0;  ///< the channel's stream, as the sender gave it
  TimerId timer = 0;         ///< the timer that fired, or 0

  template <class M>
  [[nodiscard]] const M* as() const {
    return payload.as<M>();
  }
};

class Actor {
 public:
  virtual ~Actor() = default;

  /// Called once, before any message. A restarted host's root actor gets a `Restored` message right
  /// after it.
  virtual void start(Context&) {}
  virtual void receive(Context& context, const Delivery& delivery) = 0;
};

}  // namespace troupe
