// kube-scheduler: one pod at a time, and the bindings beside it.
//
// A cycle pops a pod, decides on a snapshot and waits for as long as deciding takes; what it
// decided comes back to it as a timer. Then the pod is assumed on its node and the next cycle
// begins, while the binding is under way. A binding that fails takes the assumption back. Not
// modelled: volumes, dynamic resource claims, extenders, several profiles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actors/actor.h"
#include "actors/api_client/election.h"
#include "actors/api_client/event_recorder.h"
#include "actors/kube_scheduler/cluster_feed.h"
#include "actors/kube_scheduler/pod_scheduler.h"
#include "actors/kube_scheduler/victim_eviction.h"
#include "actors/random.h"
#include "messages/schedulers.pb.h"

namespace troupe::kube_scheduler {

class KubeSchedulerActor final : public Actor {
 public:
  explicit KubeSchedulerActor(hosts::KubeSchedulerConfig config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

  /// How the configuration names a strategy; LeastAllocated for an empty name.
  [[nodiscard]] static PodSchedulerOptions options_of(const hosts::KubeSchedulerConfig& config);

 private:
  void begin_election(Context& context);
  void schedule_next(Context& context);
  [[nodiscard]] bool may_schedule() const;
  /// False if the pod needs no cycle any more.
  bool begin_cycle(Context& context, QueuedPod queued);
  /// Fills in the decision; returns how many nodes were looked at for it.
  std::size_t decide(Context& context, const scheduling::PodInfo& pod,
                     schedulers::PodDecided& decided);
  void end_cycle(Context& context, const schedulers::PodDecided& decided);
  void assume_and_bind(Context& context, QueuedPod queued, const std::string& node);
  void bind_failed(Context& context, QueuedPod queued, const std::string& node,
                   const std::string& why);
  void refuse(Context& context, QueuedPod queued, const schedulers::PodDecided& decided);
  void clear_room(Context& context, const scheduling::PodPtr& pod,
                  const schedulers::PodDecided& decided);
  void report(Context& context, const k8s::Pod& pod, std::string_view reason,
              const schedulers::PodDecided& decided);

  hosts::KubeSchedulerConfig config_;
  ApiClient api_;
  ApiClient events_api_;
  EventRecorder events_;
  ClusterFeed feed_;
  PodScheduler scheduler_;
  VictimEviction eviction_;
  std::optional<Election> election_;  ///< of one that has replicas
  std::optional<QueuedPod> in_cycle_;
  std::uint64_t life_ =
      0;  ///< grows when leadership is lost: callbacks of an earlier life are void
  RandomStream ties_{"kube-scheduler/ties"};
  RandomStream first_candidate_{"kube-scheduler/preemption"};
};

}  // namespace troupe::kube_scheduler
