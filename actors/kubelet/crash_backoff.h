// How long a container that keeps ending waits before it is started again: CrashLoopBackOff.
//
// kubelet's per-container backoff. The first restart is immediate; each later one waits twice as
// long as the one before, counted from the end of the last run; a container that ran long enough
// starts over.
#pragma once

#include <algorithm>

#include "messages/sim_time.h"

namespace troupe::kubelet {

class CrashBackoff {
 public:
  /// kubelet.go: the container backoff's initial delay.
  static constexpr Duration kInitial = std::chrono::seconds(10);
  /// kubelet.go: MaxContainerBackOff.
  static constexpr Duration kMax = std::chrono::minutes(5);
  /// client-go flowcontrol.Backoff: forgotten after twice the maximum.
  static constexpr Duration kReset = 2 * kMax;

  /// When a run that ended at `finished` may be followed by the next. Call `restarted` when that
  /// one begins.
  [[nodiscard]] SimTime next_start(SimTime finished) const {
    return remembers(finished) ? finished + delay_ : finished;
  }
  void restarted(SimTime finished, SimTime now) {
    delay_ = remembers(finished) ? std::min(2 * delay_, kMax) : kInitial;
    last_start_ = now;
  }

 private:
  [[nodiscard]] bool remembers(SimTime finished) const {
    return delay_ > Duration::zero() && finished - last_start_ <= kReset;
  }

  Duration delay_{0};  ///< before the next restart; 0: none was made yet
  SimTime last_start_ = kTimeZero;
};

}  // namespace troupe::kubelet
