#include "actors/karpenter/state/disruption_limits.h"

#include <algorithm>

#include "actors/karpenter/state/pod_rules.h"
#include "actors/workloads/objects/pods.h"
#include "messages/selector.h"

namespace troupe::karpenter {
namespace {

bool lets_go(const k8s::PodDisruptionBudget& budget, const k8s::Pod& pod) {
  if (budget.status().disruptions_allowed() > 0) return true;
  // A pod that is not ready protects nothing.
  return budget.spec().unhealthy_pod_eviction_policy() == "AlwaysAllow" && !is_ready(pod);
}

std::string path_of_budget(const k8s::PodDisruptionBudget& budget) {
  return budget.metadata().namespace_() + "/" + budget.metadata().name();
}

}  // namespace

std::vector<const k8s::PodDisruptionBudget*> DisruptionLimits::budgets_of(
    const k8s::Pod& pod) const {
  std::vector<const k8s::PodDisruptionBudget*> result;
  for (const auto& budget : budgets_) {
    if (budget->metadata().namespace_() == pod.metadata().namespace_() &&
        budget->spec().has_selector() &&
        matches(budget->spec().selector(), pod.metadata().labels())) {
      result.push_back(budget.get());
    }
  }
  return result;
}

std::vector<std::string> DisruptionLimits::blocking(
    const std::vector<std::shared_ptr<const k8s::Pod>>& pods, SimTime now) const {
  for (const auto& pod : pods) {
    if (!is_evictable(*pod, now)) continue;
    const auto budgets = budgets_of(*pod);
    const bool blocked =
        budgets.size() > 1 ||
        std::ranges::any_of(budgets, [&](const auto* budget) { return !lets_go(*budget, *pod); });
    if (!blocked) continue;
    std::vector<std::string> names;
    for (const auto* budget : budgets) names.push_back(path_of_budget(*budget));
    return names;
  }
  return {};
}

bool DisruptionLimits::blocks_for_ever(const k8s::Pod& pod) const {
  return std::ranges::any_of(budgets_of(pod), [](const k8s::PodDisruptionBudget* budget) {
    const k8s::PodDisruptionBudgetSpec& spec = budget->spec();
    return spec.max_unavailable() == "0" || spec.max_unavailable() == "0%" ||
           spec.min_available() == "100%";
  });
}

}  // namespace troupe::karpenter
