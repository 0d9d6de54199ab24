// Which of its pods a ReplicaSet gives up first.
//
// Not placed before placed, pending before unknown before running, not ready before ready, lower
// deletion cost first, then those that share a node with more of their like, then the younger. Ages
// are compared in powers of two, so that which of two pods of nearly equal age goes is left to
// their uids. kubernetes/kubernetes, pkg/controller/controller_utils.go: ActivePodsWithRanks.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "actors/workloads/core/pod_index.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

/// How many pods of the same kind run on a node, by the node's name.
using Colocation = std::map<std::string, int>;

/// The `count` pods to delete, the first to go first.
[[nodiscard]] std::vector<PodPtr> pods_to_delete(std::vector<PodPtr> active, std::size_t count,
                                                 const Colocation& colocated, SimTime now);

}  // namespace troupe::workloads
