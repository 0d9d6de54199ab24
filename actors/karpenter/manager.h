// What all controllers of the Karpenter process share, as controller-runtime's manager: one client
// with one rate limit, one watch of each kind, the picture of the cluster that follows them; and
// Karpenter's own catalogue and cloud.
//
// Not modelled: node classes (every one that is named is taken to be there and ready), zones of
// volumes, leader election of a second replica.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/api_client/informer.h"
#include "actors/karpenter/cloud/cloud_client.h"
#include "actors/karpenter/cloud/instance_catalogue.h"
#include "actors/karpenter/profile.h"
#include "actors/karpenter/recorder.h"
#include "actors/karpenter/state/cluster_state.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/apps.pb.h"

namespace troupe::karpenter {

class Manager {
 public:
  explicit Manager(const hosts::KarpenterConfig& configuration);

  /// Call it when every controller has added its handlers.
  void start(Context& context);
  /// Calls `ready` once, when all first lists are in the caches.
  void on_ready(std::function<void(Context&)> ready) { ready_ = std::move(ready); }
  /// Handles the delivery if it is the client's, a watch's or the cloud's.
  bool receive(Context& context, const Delivery& delivery);

  /// Whether the picture shows all that is on its way: every claim has its instance. The two loops
  /// decide nothing before.
  [[nodiscard]] bool synced();
  /// The API server has accepted this claim; the watch may be late.
  void expect_claim(const NodeClaim& created);
  /// A launch found these without capacity.
  void mark_unavailable(Context& context, const std::vector<UnavailableOfferings::Key>& offerings);
  [[nodiscard]] const InstanceCatalogue& catalogue() const { return catalogue_; }
  /// The pool of that claim, or null.
  [[nodiscard]] std::shared_ptr<const NodePool> pool_of(const NodeClaim& claim) const;
  [[nodiscard]] std::vector<std::shared_ptr<const NodePool>> all_pools() const;
  [[nodiscard]] DisruptionLimits disruption_limits() const;

  const hosts::KarpenterConfig config;
  const Profile profile;
  ApiClient api;
  CloudClient cloud;
  Recorder events;
  Informer<k8s::Pod> pods;
  Informer<k8s::Node> nodes;
  Informer<NodeClaim> claims;
  Informer<NodePool> pools;
  Informer<k8s::PodDisruptionBudget> budgets;
  Informer<k8s::DaemonSet> daemon_sets;
  ClusterState state;  ///< up to date when a controller's handler of an informer runs

 private:
  template <class Action>
  void for_each_informer(Action action) {
    action(pods);
    action(nodes);
    action(claims);
    action(pools);
    action(budgets);
    action(daemon_sets);
  }
  void follow_pods();
  void follow_nodes_and_claims();
  void check_ready(Context& context);
  void arm_sweep(Context& context);

  InstanceCatalogue catalogue_;
  UnavailableOfferings unavailable_;
  SimTime started_ = kTimeZero;
  bool sweep_armed_ = false;
  std::map<std::string, std::int64_t> expected_;  ///< claim name -> revision of its creation
  std::function<void(Context&)> ready_;
};

}  // namespace troupe::karpenter
