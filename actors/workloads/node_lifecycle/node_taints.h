// The taints by which the node lifecycle controller says what is wrong with a node.
//
// NoSchedule taints follow the node's conditions and spec.unschedulable at once; NoExecute taints
// follow its readiness and wait for their turn (eviction_zones.h). kubernetes/kubernetes,
// pkg/controller/nodelifecycle/node_lifecycle_controller.go: nodeConditionToTaintKeyStatusMap,
// doNoScheduleTaintingPass, processTaintBaseEviction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/workloads/objects/taints.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

struct TaintChange {
  std::vector<k8s::Taint> add;
  std::vector<std::pair<std::string, std::string>> remove;  ///< key and effect
  [[nodiscard]] bool empty() const { return add.empty() && remove.empty(); }
};

/// What makes the NoSchedule taints those that conditions and spec.unschedulable call for. Foreign
/// taints stay.
[[nodiscard]] TaintChange condition_taints(const k8s::Node& node);

/// The NoExecute taint of that readiness, in the place of the other one. Only "False" and "Unknown"
/// have one.
[[nodiscard]] TaintChange eviction_taint(std::string_view readiness);
/// Removes both NoExecute taints; empty if the node has neither.
[[nodiscard]] TaintChange no_eviction_taint(const k8s::Node& node);
/// The key of the NoExecute taint of that readiness.
[[nodiscard]] std::string_view eviction_key(std::string_view readiness);

/// spec.taints after the change, the new ones as of `now`; nothing if it changes nothing.
[[nodiscard]] std::optional<Taints> changed_taints(const k8s::Node& node, const TaintChange& change,
                                                   SimTime now);

}  // namespace troupe::workloads
