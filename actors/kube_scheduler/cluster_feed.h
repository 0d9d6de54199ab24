// What kube-scheduler's watches tell it: they fill its cache and its queue, and each change that
// may help a waiting pod becomes an event of the queue.
//
// The handlers follow Kubernetes, pkg/scheduler/eventhandlers.go. A list that stands in for missed
// events may show a deleted pod and its namesake as one update; the uids tell them apart.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/api_client/informer.h"
#include "actors/kube_scheduler/nominator.h"
#include "actors/kube_scheduler/preemption.h"
#include "actors/kube_scheduler/scheduling_queue.h"
#include "actors/scheduling/cluster_cache.h"
#include "messages/k8s/apps.pb.h"

namespace troupe::kube_scheduler {

class ClusterFeed {
 public:
  /// What the watches fill and the cycles work on.
  struct State {
    scheduling::ClusterCache cache;
    SchedulingQueue queue;
    Nominator nominator;
    scheduling::Snapshot snapshot = cache.empty_snapshot();

    explicit State(bool pop_from_backoff) : queue(pop_from_backoff) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
  };

  ClusterFeed(ApiClient& api, std::string scheduler_name, bool pop_from_backoff);

  /// `changed` is called after each change that may have given the queue work.
  void start(Context& context, std::function<void(Context&)> changed);
  /// True once nodes and pods are known: deciding earlier would be deciding blindly.
  [[nodiscard]] bool synced() const { return nodes_.synced() && pods_.synced(); }
  [[nodiscard]] State& state() { return *state_; }
  /// Forgets all assumptions and what the queue knew, as a process that begins anew: back to what
  /// the watches showed.
  void begin_anew(Context& context);

  /// The pod as the watch last showed it, if it is the same pod; null if it is gone.
  [[nodiscard]] std::shared_ptr<const k8s::Pod> current(const k8s::Pod& pod) const;
  [[nodiscard]] std::optional<k8s::LabelSelector> default_spread(const k8s::Pod& pod) const;
  [[nodiscard]] Budgets budgets() const;

 private:
  using PodObject = std::shared_ptr<const k8s::Pod>;
  using NodeObject = std::shared_ptr<const k8s::Node>;

  void watch_nodes();
  void watch_pods();
  void node_added(Context& context, const NodeObject& node);
  void node_updated(Context& context, const NodeObject& node);
  void node_deleted(Context& context, const NodeObject& node);
  void pod_added(Context& context, const PodObject& pod);
  void pod_updated(Context& context, const PodObject& before, const PodObject& after);
  void pod_deleted(Context& context, const PodObject& pod);
  void assigned(Context& context, const PodObject& pod);
  void waiting_updated(Context& context, const PodObject& before, const PodObject& after);
  void leave(Context& context, const PodObject& pod);
  void event(Context& context, ClusterEvent event);
  [[nodiscard]] bool is_ours(const k8s::Pod& pod) const;
  [[nodiscard]] scheduling::PodPtr info(const PodObject& pod);

  std::string scheduler_name_;
  bool pop_from_backoff_;
  std::unique_ptr<State> state_;
  std::function<void(Context&)> changed_;
  Informer<k8s::Node> nodes_;
  Informer<k8s::Pod> pods_;
  Informer<k8s::PodDisruptionBudget> budgets_;
  Informer<k8s::Service> services_;
  Informer<k8s::ReplicaSet> replica_sets_;
  Informer<k8s::StatefulSet> stateful_sets_;
};

}  // namespace troupe::kube_scheduler
