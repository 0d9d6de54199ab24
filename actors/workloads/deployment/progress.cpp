#include "actors/workloads/deployment/progress.h"

#include <algorithm>

#include "messages/conditions.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kNewSetAvailable = "NewReplicaSetAvailable";
constexpr std::string_view kTimedOut = "ProgressDeadlineExceeded";
/// apps/v1 SetDefaults_Deployment.
constexpr std::int32_t kDefaultDeadlineSeconds = 600;
/// The API server keeps whole seconds, so a requeue adds one.
/// pkg/controller/deployment/progress.go.
constexpr Duration kRequeueMargin = std::chrono::seconds(1);

Duration deadline_of(const k8s::Deployment& deployment) {
  return std::chrono::seconds(deployment.spec().has_progress_deadline_seconds()
                                  ? deployment.spec().progress_deadline_seconds()
                                  : kDefaultDeadlineSeconds);
}

/// "ReplicaSet "web-1" ", or "Deployment "web" " before there is one.
std::string subject(const k8s::Deployment& deployment, const ReplicaSets& sets) {
  return sets.current != nullptr ? "ReplicaSet \"" + sets.current->metadata().name() + "\""
                                 : "Deployment \"" + deployment.metadata().name() + "\"";
}

/// Any count has moved the right way since the status that the Deployment has.
bool has_moved(const k8s::Deployment& deployment, const k8s::DeploymentStatus& status) {
  const k8s::DeploymentStatus& before = deployment.status();
  const auto old_replicas = [](const k8s::DeploymentStatus& one) {
    return one.replicas() - one.updated_replicas();
  };
  return status.updated_replicas() > before.updated_replicas() ||
         old_replicas(status) < old_replicas(before) ||
         status.ready_replicas() > before.ready_replicas() ||
         status.available_replicas() > before.available_replicas();
}

SimTime last_update(const k8s::DeploymentStatus& status, SimTime now) {
  const k8s::Condition* condition = find_condition(status.conditions(), kProgressing);
  return condition == nullptr ? now : from_ns(condition->last_update_time());
}

}  // namespace

k8s::DeploymentStatus counted_status(const k8s::Deployment& deployment, const ReplicaSets& sets,
                                     SimTime now) {
  const std::vector<ReplicaSetPtr> all = sets.all();
  k8s::DeploymentStatus status = deployment.status();
  const auto narrow = [](std::int64_t count) { return static_cast<std::int32_t>(count); };
  const std::int64_t available = available_replicas(all);
  status.set_observed_generation(deployment.metadata().generation());
  status.set_replicas(narrow(actual_replicas(all)));
  status.set_updated_replicas(narrow(actual_replicas({sets.current})));
  status.set_ready_replicas(narrow(ready_replicas(all)));
  status.set_available_replicas(narrow(available));
  status.set_unavailable_replicas(
      narrow(std::max<std::int64_t>(wanted_replicas(all) - available, 0)));
  const bool enough = available >= replicas_of(deployment) - fences_of(deployment).unavailable;
  set_condition(*status.mutable_conditions(),
                {kAvailable, enough ? "True" : "False",
                 enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                 enough ? "Deployment has minimum availability."
                        : "Deployment does not have minimum availability."},
                now);
  return status;
}

bool is_complete(const k8s::Deployment& deployment, const k8s::DeploymentStatus& status) {
  const std::int64_t wanted = replicas_of(deployment);
  return status.updated_replicas() == wanted && status.replicas() == wanted &&
         status.available_replicas() == wanted &&
         status.observed_generation() >= deployment.metadata().generation();
}

void note_progress(k8s::DeploymentStatus& status, std::string_view reason,
                   const std::string& message, SimTime now) {
  set_condition(*status.mutable_conditions(), {kProgressing, "True", reason, message}, now);
  for (k8s::Condition& condition : *status.mutable_conditions()) {
    if (condition.type() == kProgressing) condition.set_last_update_time(to_ns(now));
  }
}

std::optional<Duration> update_progress(const k8s::Deployment& deployment, const ReplicaSets& sets,
                                        k8s::DeploymentStatus& status, SimTime now) {
  const k8s::Condition* before = find_condition(deployment.status().conditions(), kProgressing);
  const bool was_complete = before != nullptr && before->reason() == kNewSetAvailable;
  // Scaling a complete Deployment is no rollout: its condition stays.
  if (was_complete && status.replicas() == status.updated_replicas()) return std::nullopt;
  const std::string who = subject(deployment, sets);
  if (is_complete(deployment, status)) {
    note_progress(status, kNewSetAvailable, who + " has successfully progressed.", now);
    return std::nullopt;
  }
  if (has_moved(deployment, status)) {
    note_progress(status, "ReplicaSetUpdated", who + " is progressing.", now);
    return deadline_of(deployment) + kRequeueMargin;
  }
  if (before == nullptr || before->reason() == kTimedOut) return std::nullopt;
  const Duration left = last_update(status, now) + deadline_of(deployment) - now;
  if (left >= Duration::zero()) return left + kRequeueMargin;
  set_condition(*status.mutable_conditions(),
                {kProgressing, "False", kTimedOut, who + " has timed out progressing."}, now);
  return std::nullopt;
}

}  // namespace troupe::workloads
