// All rules of spread, affinity and anti-affinity that the pods of a simulation have, and those of
// the pods that run.
//
// Anti-affinity works both ways: where a pod runs that shuns others, they may not come, although
// they say nothing themselves. Those rules of running and placed pods are kept apart as inverse
// groups.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/pool_template.h"
#include "actors/karpenter/scheduling/topology_group.h"
#include "messages/k8s/core.pb.h"
#include "messages/result.h"

namespace troupe::karpenter {

/// A pod that is bound, with its node.
struct BoundPod {
  std::shared_ptr<const k8s::Pod> pod;
  std::shared_ptr<const k8s::Node> node;
};

class Topology {
 public:
  struct Input {
    const std::vector<PoolTemplate>& pools;
    const std::vector<BoundPod>& bound;  ///< running pods, on nodes that exist
    const std::vector<std::shared_ptr<const k8s::Node>>& nodes;  ///< of the simulation
    PreferencePolicy preferences = PreferencePolicy::Respect;
  };

  /// `pods`: those to be placed, which are not counted where they run now.
  Topology(const Input& input, std::span<const SimulatedPod> pods);

  /// Makes the pod the owner of exactly the rules that it has now: called again when it gave one
  /// up.
  void update(const SimulatedPod& pod);
  /// The host name of a node, new or old, as a domain.
  void add_host(const std::string& host);
  /// What the pod's rules, and the rules of others about it, leave of the node's requirements.
  [[nodiscard]] Result<Requirements> add_requirements(const SimulatedPod& pod, const Taints& taints,
                                                      const Requirements& node) const;
  /// The pod is placed on a node like that.
  void record(const SimulatedPod& pod, const Taints& taints, const Requirements& node);

 private:
  using Groups = std::map<std::string, TopologyGroup>;

  void collect_domains(const std::vector<PoolTemplate>& pools);
  void count_running_anti_affinity();
  void update_inverse(const k8s::Pod& pod, const k8s::Affinity& affinity, const k8s::Node* node);
  void count_domains(TopologyGroup& group) const;
  [[nodiscard]] std::vector<TopologyGroup::Rule> rules_of(const SimulatedPod& pod) const;

  std::vector<BoundPod> bound_;  ///< without those to be placed
  std::vector<std::shared_ptr<const k8s::Node>> nodes_;
  PreferencePolicy preferences_;
  DomainUniverse universe_;
  Groups groups_;
  Groups inverse_;
};

}  // namespace troupe::karpenter
