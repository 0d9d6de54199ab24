// How good each feasible node is for a pod: the default score plugins of kube-scheduler with their
// default weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "actors/kube_scheduler/resource_score.h"
#include "actors/scheduling/snapshot.h"

namespace troupe::kube_scheduler {

/// Kubernetes, pkg/scheduler/apis/config/v1/default_plugins.go.
struct ScoreWeights {
  std::int64_t taint_toleration = 3;
  std::int64_t node_affinity = 2;
  std::int64_t topology_spread = 2;
  std::int64_t inter_pod_affinity = 2;
  std::int64_t resources_fit = 1;
  std::int64_t balanced_allocation = 1;
  std::int64_t image_locality = 1;
};

struct ScoreInput {
  const scheduling::PodInfo& pod;
  const scheduling::Snapshot& snapshot;
  std::span<const std::size_t> feasible;  ///< indices of nodes
  const ResourceScoring& resources;
  const std::optional<k8s::LabelSelector>& default_spread;
};

/// The weighted sums, in the order of `feasible`.
[[nodiscard]] std::vector<std::int64_t> total_scores(const ScoreInput& input,
                                                     const ScoreWeights& weights);

}  // namespace troupe::kube_scheduler
