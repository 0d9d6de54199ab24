// What a PodDisruptionBudget's status says.
//
// kubernetes/kubernetes, pkg/controller/disruption/disruption.go. The numbers are as old as the
// controller's last look; an eviction takes one off them itself and notes the pod in the status,
// where it counts as gone until its deletion is seen or two minutes have passed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/api_client/event_recorder.h"
#include "actors/workloads/core/pod_index.h"
#include "messages/k8s/policy.pb.h"
#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

/// DeletionTimeout: an evicted pod that is still not being deleted after that has survived.
inline constexpr Duration kDeletionTimeout = std::chrono::minutes(2);

/// A controller of pods, and how many of them it is to have.
struct ControllerScale {
  std::string uid;
  std::int64_t replicas = 0;
};
/// The scale of a pod's controller; the error says why it cannot be known.
using ScaleLookup = std::function<Result<ControllerScale>(const k8s::Pod&)>;

struct BudgetPlan {
  k8s::PodDisruptionBudgetStatus status;
  std::optional<Duration> again;    ///< when the next evicted pod has had its time
  std::vector<EventText> events;    ///< about the budget
  std::vector<PodPtr> not_deleted;  ///< evicted two minutes ago, and still not being deleted
};

/// `pods`: those that the budget's selector means, by "namespace/name".
[[nodiscard]] BudgetPlan plan_budget(const k8s::PodDisruptionBudget& budget,
                                     const std::map<std::string, PodPtr>& pods,
                                     const ScaleLookup& scale_of, SimTime now);

}  // namespace troupe::workloads
