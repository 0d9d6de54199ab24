// A Deployment's status: how many replicas, whether enough are available, and whether its rollout
// gets on.
#pragma once

#include <optional>

#include "actors/workloads/deployment/replica_sets.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

/// The counts and the condition Available.
[[nodiscard]] k8s::DeploymentStatus counted_status(const k8s::Deployment& deployment,
                                                   const ReplicaSets& sets, SimTime now);

/// All replicas are of the new set and available, and no others are left.
[[nodiscard]] bool is_complete(const k8s::Deployment& deployment,
                               const k8s::DeploymentStatus& status);

/// Sets the condition Progressing in `status`: complete, getting on, or past its deadline. How long
/// until that deadline if it is still running.
std::optional<Duration> update_progress(const k8s::Deployment& deployment, const ReplicaSets& sets,
                                        k8s::DeploymentStatus& status, SimTime now);

/// Progressing, with the time of the update, which the deadline counts from.
void note_progress(k8s::DeploymentStatus& status, std::string_view reason,
                   const std::string& message, SimTime now);

}  // namespace troupe::workloads
