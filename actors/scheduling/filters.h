// May this pod run on that node? The default filters of kube-scheduler, which KAI's predicates use
// as well.
//
// What concerns the pod alone or needs a look at all nodes (spread, affinity) is prepared once for
// a pod; a check of one node then touches only what the pod can be refused for. Volumes and dynamic
// resource claims are not modelled.
#pragma once

#include "actors/scheduling/pod_affinity.h"
#include "actors/scheduling/rejection.h"
#include "actors/scheduling/snapshot.h"
#include "actors/scheduling/topology_spread.h"

namespace troupe::scheduling {

class Filters {
 public:
  Filters(const PodInfo& pod, const Snapshot& snapshot);

  /// Empty if the node takes the pod, else the first plugin that refuses it.
  [[nodiscard]] Rejection check(const NodeInfo& node) const;
  /// The same without NodeResourcesFit: for a scheduler that does its own accounts.
  [[nodiscard]] Rejection check_all_but_resources(const NodeInfo& node) const;
  /// Tells that a pod comes to (+1) or leaves (-1) the node while a placement is tried. The
  /// NodeInfo is the caller's.
  void update(const PodInfo& other, const NodeInfo& node, int delta);

 private:
  [[nodiscard]] Rejection check_node(const NodeInfo& node) const;
  [[nodiscard]] Rejection check_pods(const NodeInfo& node) const;

  const PodInfo* pod_;
  bool selects_nodes_;
  bool tolerates_cordon_;
  SpreadFilter spread_;
  AffinityFilter affinity_;
};

/// Which resources are short on the node; empty if the pod fits.
[[nodiscard]] Rejection check_resources(const PodInfo& pod, const NodeInfo& node);

}  // namespace troupe::scheduling
