// Times as API objects have them: metav1.Time is written in whole seconds.
#pragma once

#include <cstdint>

#include "messages/sim_time.h"

namespace troupe::kubelet {

/// The second that the moment falls into; times in objects are never finer.
constexpr SimTime whole_second(SimTime time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

}  // namespace troupe::kubelet
