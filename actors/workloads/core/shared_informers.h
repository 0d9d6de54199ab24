// The watches that all controllers of the manager share: one of each kind, as in the real
// kube-controller-manager, with the pods indexed by owner.
#pragma once

#include "actors/api_client/informer.h"
#include "actors/workloads/core/pod_index.h"
#include "actors/workloads/core/pods_by_node.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/discovery.pb.h"
#include "messages/k8s/policy.pb.h"
#include "messages/kubeflow.pb.h"
#include "messages/lws.pb.h"
#include "messages/ray.pb.h"

namespace troupe::workloads {

class SharedInformers {
 public:
  /// `operators`: the client for kinds that not every cluster has; nobody waits for their lists.
  SharedInformers(ApiClient& client, ApiClient& operators);

  /// Call it when every controller has added its handlers.
  void start(Context& context);
  /// All first lists are in the caches: no controller acts before.
  [[nodiscard]] bool synced() const;
  /// Calls `ready` once that is so.
  void on_synced(std::function<void(Context&)> ready) { ready_ = std::move(ready); }

  Informer<k8s::Pod> pods;
  Informer<k8s::Node> nodes;
  Informer<k8s::ReplicaSet> replica_sets;
  Informer<k8s::Deployment> deployments;
  Informer<k8s::StatefulSet> stateful_sets;
  Informer<k8s::Job> jobs;
  Informer<lws::LeaderWorkerSet> leader_worker_sets;
  Informer<kubeflow::PyTorchJob> pytorch_jobs;
  Informer<ray::RayCluster> ray_clusters;
  Informer<k8s::Service> services;
  Informer<k8s::EndpointSlice> endpoint_slices;
  Informer<k8s::PodDisruptionBudget> budgets;
  // Both follow `pods`, and are up to date when a handler of `pods` runs.
  PodIndex pods_by_owner;
  PodsByNode pods_by_node;

 private:
  template <class Action>
  void for_each(Action action) {
    action(pods);
    action(nodes);
    action(replica_sets);
    action(deployments);
    action(stateful_sets);
    action(jobs);
    action(leader_worker_sets);
    action(services);
    action(endpoint_slices);
    action(budgets);
  }
  void check_synced(Context& context);

  std::function<void(Context&)> ready_;
};

}  // namespace troupe::workloads
