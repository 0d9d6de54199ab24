// How well a pod's requests suit a node: the three strategies of NodeResourcesFit and
// NodeResourcesBalancedAllocation.
//
// Scores are 0 to 100, in the integers (and, where the original uses them, the doubles) of
// kube-scheduler (pkg/scheduler/framework/plugins/noderesources). By default only CPU and memory
// count, so GPUs spread as the CPU does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/scheduling/node_info.h"

namespace troupe::kube_scheduler {

enum class Strategy : std::uint8_t { LeastAllocated, MostAllocated, RequestedToCapacityRatio };

struct ResourceWeight {
  std::string name;
  std::int64_t weight = 1;
};

/// A point of RequestedToCapacityRatio's shape: utilisation in percent (0 to 100), score 0 to 10.
struct ShapePoint {
  std::int64_t utilization = 0;
  std::int64_t score = 0;
};

struct ResourceScoring {
  Strategy strategy = Strategy::LeastAllocated;
  std::vector<ResourceWeight> resources = {{"cpu", 1}, {"memory", 1}};
  /// Ascending in utilisation; only for RequestedToCapacityRatio.
  std::vector<ShapePoint> shape = {{0, 0}, {100, 10}};
};

/// The score of NodeResourcesFit.
[[nodiscard]] std::int64_t fit_score(const ResourceScoring& scoring, const scheduling::PodInfo& pod,
                                     const scheduling::NodeInfo& node);

/// 100 where CPU and memory would be used to the same fraction, less the further these are apart.
[[nodiscard]] std::int64_t balance_score(const scheduling::PodInfo& pod,
                                         const scheduling::NodeInfo& node);

}  // namespace troupe::kube_scheduler
