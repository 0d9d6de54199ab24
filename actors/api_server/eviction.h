// Evictions: whether a disruption budget lets a pod go, and the charge to it.
//
// registry/core/pod/storage/eviction.go. The budget's controller computes how many disruptions it
// allows; the eviction takes one off, by compare-and-swap, before it deletes the pod. Two evictions
// at once therefore cannot both take the last one, but the number itself is as old as the
// controller's last look.
#pragma once

#include <vector>

#include "actors/api_server/mutation.h"
#include "messages/k8s/pod.pb.h"
#include "messages/k8s/policy.pb.h"

namespace troupe::apiserver {

/// True of a pod whose end disrupts nobody: it has ended, has not begun, or is going already.
[[nodiscard]] bool needs_no_budget(const k8s::Pod& pod);
/// The budgets whose selector means the pod.
[[nodiscard]] std::vector<Payload> budgets_of(const k8s::Pod& pod, const WatchCache& cache);
/// The refusal of a pod that several budgets claim.
[[nodiscard]] Status several_budgets();
/// Takes one disruption off the budget for the pod: Write, Keep where this pod needs none of it (it
/// is not ready and the budget's policy lets it go), or Refuse with 429.
[[nodiscard]] Decision charge_budget(const k8s::PodDisruptionBudget& budget, const k8s::Pod& pod,
                                     SimTime now);

}  // namespace troupe::apiserver
