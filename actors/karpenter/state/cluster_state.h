// Karpenter's picture of the cluster, which provisioning and disruption share.
//
// Nodes and claims are joined by provider id; pods count on the node that they are bound to. A
// claim that Karpenter has just asked for is in the picture at once, before any watch tells of it,
// and as long as one claim has no instance yet the picture is not synced: neither loop decides
// anything then, since it would not see what is on its way.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actors/karpenter/scheduling/topology.h"
#include "actors/karpenter/state/disruption_limits.h"
#include "actors/karpenter/state/state_node.h"

namespace troupe::karpenter {

class ClusterState {
 public:
  using PodPtr = std::shared_ptr<const k8s::Pod>;
  using NodePtr = std::shared_ptr<const k8s::Node>;
  using ClaimPtr = std::shared_ptr<const NodeClaim>;

  // ---- what the watches tell ----
  void set_pod(const PodPtr& pod);
  void erase_pod(const std::string& path);
  void set_node(const NodePtr& node);
  void erase_node(const std::string& name);
  void set_claim(const ClaimPtr& claim);
  void erase_claim(const std::string& name);

  /// The provisioner has created this claim; the watch may be late.
  void expect_claim(const std::string& name) { claim_ids_.try_emplace(name); }

  // ---- what Karpenter itself decides ----
  /// Keeps the node from being disrupted until then.
  void nominate(const std::string& provider_id, SimTime until);
  void mark_for_deletion(const std::string& provider_id, bool marked);

  // ---- the picture ----
  /// Every claim has its instance.
  [[nodiscard]] bool synced() const;
  /// Nodes and launched claims, in order of provider id.
  [[nodiscard]] std::vector<StateNode> nodes() const;
  [[nodiscard]] std::vector<PodPtr> pods_on(std::string_view node) const;
  [[nodiscard]] std::vector<BoundPod> bound_pods() const;
  [[nodiscard]] const std::map<std::string, PodPtr>& provisionable() const {
    return provisionable_;
  }
  /// The pods of nodes that go away which can be moved now.
  [[nodiscard]] std::vector<PodPtr> pods_to_move(const DisruptionLimits& limits, SimTime now) const;
  /// The capacity of all nodes of a pool, those that go away included.
  [[nodiscard]] Resources pool_usage(std::string_view pool) const;
  [[nodiscard]] NodePtr find_node(std::string_view name) const;
  /// The node that has this provider id; null if there is none, or if there are several.
  [[nodiscard]] NodePtr node_of(std::string_view provider_id) const;
  [[nodiscard]] std::size_t nodes_with(std::string_view provider_id) const;
  /// All that have it, in order of names.
  [[nodiscard]] std::vector<NodePtr> nodes_of(std::string_view provider_id) const;
  /// The claim that was launched as this instance, or null.
  [[nodiscard]] ClaimPtr claim_of(std::string_view provider_id) const;
  /// The claim of that node, or null: nobody's node, or not Karpenter's.
  [[nodiscard]] ClaimPtr claim_of(const k8s::Node& node) const { return claim_of(id_of(node)); }

 private:
  struct Usage {
    Resources pods;
    Resources daemons;
    HostPorts ports;
  };
  struct Entry {
    ClaimPtr claim;
    std::map<std::string, NodePtr> nodes;  ///< one in life; by name
    bool marked_for_deletion = false;
    SimTime nominated_until = kTimeZero;
    [[nodiscard]] bool is_empty() const { return claim == nullptr && nodes.empty(); }
  };
  using NodePods = std::map<std::string, PodPtr>;

  [[nodiscard]] static std::string id_of(const k8s::Node& node);
  [[nodiscard]] const Usage& usage_of(const std::string& node) const;
  [[nodiscard]] StateNode view_of(const Entry& entry) const;
  void unbind(const std::string& path);
  void drop_if_empty(const std::string& provider_id);

  std::map<std::string, Entry> entries_;         ///< by provider id
  std::map<std::string, std::string> node_ids_;  ///< node name -> provider id
  std::map<std::string, std::string>
      claim_ids_;  ///< claim name -> provider id, empty until launched
  std::map<std::string, std::string> bindings_;  ///< pod path -> node name
  std::map<std::string, NodePods, std::less<>> pods_by_node_;
  std::map<std::string, PodPtr> provisionable_;  ///< by path
  mutable std::map<std::string, Usage> usage_;   ///< of nodes whose pods have not changed since
};

}  // namespace troupe::karpenter
