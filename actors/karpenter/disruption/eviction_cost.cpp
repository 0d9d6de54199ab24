#include "actors/karpenter/disruption/eviction_cost.h"

#include <algorithm>
#include <charconv>

#include "messages/labels.h"

namespace troupe::karpenter {
namespace {

constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::int64_t kPriorityUnit = kCostUnit >> 25;
constexpr std::int64_t kCostLimit = 10 * kCostUnit;

std::int64_t deletion_cost(const k8s::Pod& pod) {
  const std::string* text = find_label(pod.metadata().annotations(), kDeletionCost);
  std::int32_t cost = 0;
  if (text == nullptr) return 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, cost);
  return parsed.ec == std::errc{} && parsed.ptr == end ? cost : 0;
}

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
