#include "actors/api_server/eviction.h"

#include <algorithm>

#include "messages/conditions.h"
#include "messages/selector.h"

namespace troupe::apiserver {
namespace {

/// eviction.go MaxDisruptedPodSize: the controller has fallen too far behind.
constexpr int kMaxDisruptedPods = 2000;

Status would_violate(const std::string& why, std::int64_t retry_after_seconds) {
  std::string text = "Cannot evict pod as it would violate the pod's disruption budget. ";
  text += why;
  return too_many_requests(std::move(text), retry_after_seconds);
}

/// A pod that is not ready may go if the budget says always, or if the budget is met without it.
bool unready_may_go(const k8s::PodDisruptionBudget& budget, const k8s::Pod& pod) {
  if (is_true(pod.status().conditions(), "Ready")) return false;
  if (budget.spec().unhealthy_pod_eviction_policy() == "AlwaysAllow") return true;
  const auto& status = budget.status();
  return status.desired_healthy() > 0 && status.current_healthy() >= status.desired_healthy();
}

void note_disrupted(k8s::PodDisruptionBudgetStatus& status, const std::string& pod, SimTime now) {
  auto& pods = *status.mutable_disrupted_pods();
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [&](const k8s::DisruptedPod& one) { return one.name() == pod; });
  k8s::DisruptedPod& entry = found == pods.end() ? *pods.Add() : *found;
  entry.set_name(pod);
  entry.set_time(whole_second(now));
  std::sort(pods.begin(), pods.end(), [](const k8s::DisruptedPod& a, const k8s::DisruptedPod& b) {
    return a.name() < b.name();
  });
}

}  // namespace

bool needs_no_budget(const k8s::Pod& pod) {
  const std::string& phase = pod.status().phase();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         pod.metadata().has_deletion_timestamp();
}

std::vector<Payload> budgets_of(const k8s::Pod& pod, const WatchCache& cache) {
  std::vector<Payload> found;
  for (const auto& [path, object] : cache.objects("PodDisruptionBudget")) {
    const auto& budget = *object.as<k8s::PodDisruptionBudget>();
    if (budget.metadata().namespace_() != pod.metadata().namespace_()) continue;
    const bool selects =
        budget.spec().has_selector() && matches(budget.spec().selector(), pod.metadata().labels());
    if (selects) found.push_back(object);
  }
  return found;
}

Status several_budgets() {
  return internal_error(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
      "support.");
}

Decision charge_budget(const k8s::PodDisruptionBudget& budget, const k8s::Pod& pod, SimTime now) {
  const std::string& name = budget.metadata().name();
  if (unready_may_go(budget, pod)) return Decision::keep();
  if (budget.status().observed_generation() < budget.metadata().generation()) {
    return Decision::refuse(would_violate(
        "The disruption budget " + name + " is still being processed by the server.", 10));
  }
  const auto& kind = kind_of<k8s::PodDisruptionBudget>();
  if (budget.status().disruptions_allowed() < 0) {
    return Decision::refuse(forbidden(kind, name, "pdb disruptions allowed is negative"));
  }
  if (budget.status().disrupted_pods_size() > kMaxDisruptedPods) {
    return Decision::refuse(forbidden(
        kind, name,
        "DisruptedPods map too big - too many evictions not confirmed by PDB controller"));
  }
  if (budget.status().disruptions_allowed() == 0) {
    return Decision::refuse(would_violate(
        "The disruption budget " + name + " needs " +
            std::to_string(budget.status().desired_healthy()) + " healthy pods and has " +
            std::to_string(budget.status().current_healthy()) + " currently",
        0));
  }
  auto charged = std::make_unique<k8s::PodDisruptionBudget>(budget);
  k8s::PodDisruptionBudgetStatus& status = *charged->mutable_status();
  status.set_disruptions_allowed(status.disruptions_allowed() - 1);
  if (status.disruptions_allowed() == 0) {
    set_condition(*status.mutable_conditions(),
                  {.type = "DisruptionAllowed", .status = "False", .reason = "InsufficientPods"},
                  from_ns(whole_second(now)));
  }
  note_disrupted(status, pod.metadata().name(), now);
  return Decision::write(std::move(charged));
}

}  // namespace troupe::apiserver
