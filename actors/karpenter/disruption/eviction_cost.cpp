#include "actors/karpenter/disruption/eviction_cost.h"

#include <algorithm>

#include "actors/workloads/objects/pods.h"

namespace troupe::karpenter {
namespace {

constexpr std::int64_t kPriorityUnit = kCostUnit >> 25;
constexpr std::int64_t kCostLimit = 10 * kCostUnit;

}  // namespace

std::int64_t eviction_cost(const k8s::Pod& pod) {
  const std::int64_t cost =
      kCostUnit + deletion_cost(pod) + std::int64_t{pod.spec().priority()} * kPriorityUnit;
  return std::clamp(cost, -kCostLimit, kCostLimit);
}

std::int64_t positive_eviction_cost(const std::vector<std::shared_ptr<const k8s::Pod>>& pods) {
  std::int64_t total = 0;
  for (const auto& pod : pods) total += std::max<std::int64_t>(eviction_cost(*pod), 0);
  return total;
}

}  // namespace troupe::karpenter
