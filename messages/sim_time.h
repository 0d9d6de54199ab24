// The clock of an emulation.
//
// Virtual time is a 64-bit count of nanoseconds from the start of the run. It has a type of its own
// so that a wall-clock reading can never be added to it, and no now(): an actor learns the time
// from the message in hand.
#pragma once

#include <chrono>
#include <cstdint>

namespace troupe {

struct VirtualClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<VirtualClock>;
  static constexpr bool is_steady = true;
};

/// A length of virtual time, in nanoseconds.
using Duration = VirtualClock::duration;
/// A moment of virtual time: nanoseconds since the run began.
using SimTime = VirtualClock::time_point;

inline constexpr SimTime kTimeZero{};

/// Nanoseconds since the run began.
constexpr std::int64_t to_ns(SimTime time) {
  return time.time_since_epoch().count();
}
constexpr SimTime from_ns(std::int64_t ns) {
  return SimTime{Duration{ns}};
}

}  // namespace troupe
