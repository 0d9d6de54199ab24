// The pods of a simulation in the order of bin packing, and the test for whether it still makes
// progress.
//
// CPU descending, memory descending, older first, then uid; the number of GPUs is no part of the
// key. A pod that fails goes to the tail: another one may have to be placed first. When a whole
// round places nothing, it is over.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "actors/karpenter/scheduling/simulated_pod.h"

namespace troupe::karpenter {

class PodQueue {
 public:
  /// Indices into `pods`.
  explicit PodQueue(const std::vector<SimulatedPod>& pods);

  /// The next pod, or nothing when none is left or a whole round made no progress.
  std::optional<std::size_t> pop();
  void push(std::size_t pod);

 private:
  std::deque<std::size_t> queue_;
  std::map<std::size_t, std::size_t> length_at_push_;
};

}  // namespace troupe::karpenter
