#include "actors/workloads/disruption/budget.h"

#include <algorithm>

#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"
#include "messages/int_or_string.h"
#include "messages/selector.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kDisruptionAllowed = "DisruptionAllowed";

/// How many pods there are to be, and how many of them healthy.
struct Demand {
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  bool has_unmanaged = false;
};

/// The sum over the controllers of these pods. Pods without one are not in it.
Result<Demand> expected_scale(const std::map<std::string, PodPtr>& pods,
                              const ScaleLookup& scale_of) {
  Demand demand;
  std::map<std::string, std::int64_t> scales;
  for (const auto& [path, pod] : pods) {
    if (controller_of(pod->metadata()) == nullptr) {
      demand.has_unmanaged = true;
      continue;
    }
    const Result<ControllerScale> scale = scale_of(*pod);
    if (!scale) return fail(scale.error().message);
    scales[scale->uid] = scale->replicas;
  }
  for (const auto& [uid, replicas] : scales) demand.expected += replicas;
  return demand;
}

/// Percentages round up, of what must stay as of what may go.
Result<Demand> demand_of(const k8s::PodDisruptionBudgetSpec& spec,
                         const std::map<std::string, PodPtr>& pods, const ScaleLookup& scale_of) {
  if (!spec.has_max_unavailable() && !spec.has_min_available()) return Demand{};
  const auto limit = IntOrPercent::parse(spec.has_max_unavailable() ? spec.max_unavailable()
                                                                    : spec.min_available());
  if (!limit) return fail(limit.error().message);
  if (!spec.has_max_unavailable() && !limit->percent) {
    return Demand{static_cast<std::int64_t>(pods.size()), limit->value};
  }
  Result<Demand> demand = expected_scale(pods, scale_of);
  if (!demand) return demand;
  const std::int64_t scaled = limit->of(demand->expected, Rounding::Up);
  demand->healthy =
      spec.has_max_unavailable() ? std::max<std::int64_t>(demand->expected - scaled, 0) : scaled;
  return demand;
}

const k8s::DisruptedPod* find_disrupted(const k8s::PodDisruptionBudgetStatus& status,
                                        const std::string& pod) {
  const auto found = std::ranges::find(status.disrupted_pods(), pod, &k8s::DisruptedPod::name);
  return found != status.disrupted_pods().end() ? &*found : nullptr;
}

/// Counts the healthy pods into the plan and keeps the evicted ones that are still to go.
void count_pods(const k8s::PodDisruptionBudget& budget, const std::map<std::string, PodPtr>& pods,
                SimTime now, BudgetPlan& plan) {
  std::int32_t healthy = 0;
  plan.status.clear_disrupted_pods();
  for (const auto& [path, pod] : pods) {
    if (is_terminating(*pod)) continue;
    const auto* disrupted = find_disrupted(budget.status(), pod->metadata().name());
    const Duration left = disrupted != nullptr ? from_ns(disrupted->time()) + kDeletionTimeout - now
                                               : Duration::zero();
    if (left > Duration::zero()) {
      *plan.status.add_disrupted_pods() = *disrupted;
      plan.again = plan.again ? std::min(*plan.again, left) : left;
      continue;
    }
    if (disrupted != nullptr) plan.not_deleted.push_back(pod);
    if (is_ready(*pod)) ++healthy;
  }
  plan.status.set_current_healthy(healthy);
}

/// Nothing is known: nothing may be disrupted.
void refuse_all(const Error& error, SimTime now, BudgetPlan& plan) {
  plan.events.push_back({"Warning", "CalculateExpectedPodCountFailed",
                         "Failed to calculate the number of expected pods: " + error.message});
  plan.status.set_disruptions_allowed(0);
  set_condition(*plan.status.mutable_conditions(),
                {kDisruptionAllowed, "False", "SyncFailed", error.message}, now);
}

}  // namespace

BudgetPlan plan_budget(const k8s::PodDisruptionBudget& budget,
                       const std::map<std::string, PodPtr>& pods, const ScaleLookup& scale_of,
                       SimTime now) {
  BudgetPlan plan;
  plan.status = budget.status();
  if (pods.empty()) plan.events.push_back({"Normal", "NoPods", "No matching pods found"});
  const Result<Demand> demand = demand_of(budget.spec(), pods, scale_of);
  if (!demand) {
    refuse_all(demand.error(), now, plan);
    return plan;
  }
  if (demand->has_unmanaged) {
    plan.events.push_back(
        {"Warning", "UnmanagedPods",
         "Pods selected by this PodDisruptionBudget (selector: " +
             selector_text(budget.spec().selector()) +
             ") have no controller, so its status cannot be right: it counts them as healthy and "
             "not as expected. An integer \".spec.minAvailable\" would count them."});
  }
  count_pods(budget, pods, now, plan);
  const std::int64_t spare = plan.status.current_healthy() - demand->healthy;
  // A budget that means no pods yet allows nothing: its first pods may appear before the next look.
  const std::int64_t allowed = demand->expected > 0 ? std::max<std::int64_t>(spare, 0) : 0;
  plan.status.set_expected_pods(static_cast<std::int32_t>(demand->expected));
  plan.status.set_desired_healthy(static_cast<std::int32_t>(demand->healthy));
  plan.status.set_disruptions_allowed(static_cast<std::int32_t>(allowed));
  plan.status.set_observed_generation(budget.metadata().generation());
  const bool some = allowed > 0;
  set_condition(
      *plan.status.mutable_conditions(),
      {kDisruptionAllowed, some ? "True" : "False", some ? "SufficientPods" : "InsufficientPods"},
      now);
  return plan;
}

}  // namespace troupe::workloads
