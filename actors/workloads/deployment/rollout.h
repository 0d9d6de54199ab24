// How a Deployment moves from its old ReplicaSets to the new one, and how it scales those it has:
// one step at a time.
//
// kubernetes/kubernetes, pkg/controller/deployment/{rolling,recreate,sync}.go. Every function looks
// at the sets as they are and says which sizes to change; the controller writes those, and the
// changes of the sets bring the next step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/workloads/deployment/replica_sets.h"

namespace troupe::workloads {

/// A set and the size that it is to have.
struct Resize {
  ReplicaSetPtr set;
  std::int64_t replicas = 0;
};
using Resizes = std::vector<Resize>;

/// How many replicas a new set begins with, or an existing new set may have now.
[[nodiscard]] std::int64_t new_set_size(const k8s::Deployment& deployment, const ReplicaSets& sets);

/// A rolling update: the new set grows as far as the surge allows, or else old sets shrink as far
/// as availability allows, unhealthy pods first.
[[nodiscard]] Resizes rolling_step(const k8s::Deployment& deployment, const ReplicaSets& sets);
/// Recreate: the old sets go to 0; the new one comes when their pods are gone.
[[nodiscard]] Resizes recreate_step(const k8s::Deployment& deployment, const ReplicaSets& sets,
                                    bool old_pods_run);

/// The Deployment's own size has changed since its sets were last sized.
[[nodiscard]] bool is_scaling(const k8s::Deployment& deployment, const ReplicaSets& sets);
/// What that means for the sets: all of it for a single active one; in the middle of a rolling
/// update each set its share, so that the risk stays spread as it was.
[[nodiscard]] Resizes scale_step(const k8s::Deployment& deployment, const ReplicaSets& sets);

/// Old sets without pods beyond the revision history limit, oldest first.
[[nodiscard]] std::vector<ReplicaSetPtr> history_to_drop(const k8s::Deployment& deployment,
                                                         const ReplicaSets& sets);

}  // namespace troupe::workloads
