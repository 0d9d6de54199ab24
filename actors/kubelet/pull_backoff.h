// How long kubelet waits between two failed pulls of an image: ErrImagePull, then ImagePullBackOff.
#pragma once

#include <algorithm>

#include "messages/sim_time.h"

namespace troupe::kubelet {

struct PullBackoff {
  /// kubelet images: the back-off of image pulls, 10 s at first and at most MaxImagePullBackOff.
  static constexpr Duration kFirst = std::chrono::seconds(10);
  static constexpr Duration kMax = std::chrono::minutes(5);
  /// Until the next sync of the pod finds the back-off in force (about one period of the pod
  /// lifecycle event generator and a status update).
  static constexpr Duration kShown = std::chrono::seconds(2);

  Duration delay{0};
  bool shown = false;  ///< as ImagePullBackOff

  void failed() {
    delay = delay == Duration::zero() ? kFirst : std::min(2 * delay, kMax);
    shown = false;
  }
  /// From when it is shown to the next attempt.
  [[nodiscard]] Duration rest() const { return delay - kShown; }
};

}  // namespace troupe::kubelet
