// How far a run may go before it looks at its console again: the one place where virtual time meets
// the wall clock. Nothing of it enters a run's result.
#pragma once

#include <chrono>
#include <optional>

#include "messages/sim_time.h"

namespace troupe {

class Pace {
 public:
  /// Virtual seconds a wall second; none: as fast as it goes.
  void set_speed(std::optional<double> speed, SimTime now);
  [[nodiscard]] const std::optional<double>& speed() const { return speed_; }
  /// The run stood still and goes on at `now`.
  void resume(SimTime now);

  /// The end of the slice that may be run at once; none while the wall clock is behind.
  [[nodiscard]] std::optional<SimTime> slice(SimTime now);
  /// How long until there is something to run, at most 50 ms.
  [[nodiscard]] std::chrono::milliseconds patience(SimTime now) const;

 private:
  [[nodiscard]] SimTime due() const;

  std::optional<double> speed_;
  SimTime virtual_zero_{};
  std::chrono::steady_clock::time_point wall_zero_{};
  Duration length_ = std::chrono::seconds(1);  ///< of a slice that nothing paces
  std::chrono::steady_clock::time_point asked_{};
};

}  // namespace troupe
