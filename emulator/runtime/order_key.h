// The total order of deliveries.
//
// Two messages due at the same nanosecond must come in the same order on every run and on any
// number of processes, so the order may depend on nothing but what the sender knew: when, how deep
// in a chain of zero-delay sends, what class, who, and that sender's how-many-eth.
#pragma once

#include <compare>
#include <cstdint>

#include "messages/sim_time.h"

namespace troupe {

/// At one time and step faults come first, then messages, then timers: a reply that arrives exactly
/// at its timeout is in time.
enum class EventClass : std::uint8_t { Fault = 0, Network = 1, Timer = 2 };

struct OrderKey {
  SimTime time{};
  /// 0 for whatever had a delay; the sender's step + 1 for a zero-delay send, so keys never
  /// decrease.
  std::uint32_t step = 0;
  EventClass event_class = EventClass::Network;
  /// 0 in a plain run; a hash of (seed, sender, receiver, time) where ties are to be shuffled.
  std::uint64_t tie = 0;
  std::uint64_t sender = 0;    ///< hash of the sender's path and incarnation
  std::uint64_t sequence = 0;  ///< counts the sender's sends and timers

  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

}  // namespace troupe
