// Virtual time in a live run: the wall clock, scaled.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "messages/sim_time.h"

namespace troupe::live {

/// May be read and set by any thread. Stands at 0 until it is set for the first time.
class LiveClock {
 public:
  using Wall = std::chrono::steady_clock;

  /// Never goes back, whatever it is set to.
  [[nodiscard]] SimTime now() const;
  /// From now on `speed_ppm` millionths of a virtual second pass in a second, and it is
  /// `virtual_now`.
  void set(SimTime virtual_now, std::int64_t speed_ppm);
  /// When it will be `time`; nothing while the clock stands.
  [[nodiscard]] std::optional<Wall::time_point> when(SimTime time) const;

 private:
  [[nodiscard]] SimTime at(Wall::time_point wall) const;

  mutable std::mutex mutex_;
  mutable SimTime latest_{};
  Wall::time_point anchor_wall_{};
  SimTime anchor_{};
  std::int64_t speed_ppm_ = 0;
};

}  // namespace troupe::live
