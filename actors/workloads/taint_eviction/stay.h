// How long a pod may stay on a node with NoExecute taints.
#pragma once

#include <optional>

#include "actors/workloads/objects/taints.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

[[nodiscard]] Taints no_execute_taints(const k8s::Node& node);
[[nodiscard]] bool same_taints(const Taints& a, const Taints& b);

/// Zero if a taint is not tolerated, nothing if all are tolerated for ever, else the shortest
/// tolerationSeconds. For each taint the first toleration that fits counts. kubernetes/kubernetes,
/// pkg/controller/tainteviction/taint_eviction.go: processPodOnNode, getMinTolerationTime.
[[nodiscard]] std::optional<Duration> stay_of(const Tolerations& tolerations, const Taints& taints);

}  // namespace troupe::workloads
