// A node that is there, or launched, as a place for the pods of a simulation.
#pragma once

#include <string>
#include <vector>

#include "actors/karpenter/scheduling/simulated_pod.h"
#include "actors/karpenter/scheduling/topology.h"
#include "actors/karpenter/state/state_node.h"

namespace troupe::karpenter {

class ExistingNode {
 public:
  /// `daemons`: what the DaemonSets that match the node ask for, running there yet or not.
  ExistingNode(const StateNode& node, Resources daemons);

  [[nodiscard]] const StateNode& node() const { return node_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const k8s::Pod>>& pods() const { return pods_; }

  /// The node's requirements once the pod is on it, or why it cannot be.
  [[nodiscard]] Result<Requirements> can_add(const SimulatedPod& pod,
                                             const Topology& topology) const;
  void add(const SimulatedPod& pod, Requirements requirements, Topology& topology);

 private:
  [[nodiscard]] Result<Requirements> with_volume(const SimulatedPod& pod, Requirements node,
                                                 const Requirements* volume,
                                                 const Topology& topology) const;

  StateNode node_;
  Taints taints_;
  Resources remaining_;
  Requirements requirements_;
  std::vector<std::shared_ptr<const k8s::Pod>> pods_;  ///< placed by this simulation
};

}  // namespace troupe::karpenter
