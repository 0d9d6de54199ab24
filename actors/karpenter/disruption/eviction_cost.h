// What evicting a pod costs, in the units of Karpenter's ranking: about 1, more for priority and
// deletion cost.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "messages/k8s/pod.pb.h"

namespace troupe::karpenter {

/// Costs are kept in 2^-27: the unit of the pod-deletion-cost annotation, so that they are exact
/// integers.
inline constexpr std::int64_t kCostUnit = std::int64_t{1} << 27;

/// clamp(1 + deletionCost / 2^27 + priority / 2^25, -10, 10): Karpenter v1,
/// pkg/utils/disruption/disruption.go.
[[nodiscard]] std::int64_t eviction_cost(const k8s::Pod& pod);
/// The sum of those above 0.
[[nodiscard]] std::int64_t positive_eviction_cost(
    const std::vector<std::shared_ptr<const k8s::Pod>>& pods);

}  // namespace troupe::karpenter
