// KAI's pod-grouper: makes the PodGroup of each pod that KAI is to place, and tells the pod its
// name.
//
// The members of a gang may be worked on at once; whoever comes second to create their group is
// refused and tries again a second later, as in KAI. It also says, for the accounts of the run,
// which groups are gangs and who belongs to them.
#pragma once

#include <memory>
#include <string>

#include "actors/actor.h"
#include "actors/api_client/event_recorder.h"
#include "actors/api_client/informer.h"
#include "actors/api_client/work_queue.h"
#include "actors/kai/owner_walk.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/scheduling.pb.h"

namespace troupe::kai {

class PodGrouperActor final : public Actor {
 public:
  explicit PodGrouperActor(hosts::KaiPodGrouperConfig config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  using PodObject = std::shared_ptr<const k8s::Pod>;

  void watch();
  void consider(Context& context, const PodObject& pod);
  [[nodiscard]] bool synced() const;
  [[nodiscard]] bool has_launcher(const std::string& mpi_job) const;
  void reconcile(Context& context, const std::string& path);
  void apply(Context& context, const PodObject& pod, const Grouping& grouping);
  void assign(Context& context, const PodObject& pod, const Grouping& grouping);
  void fail(Context& context, const PodObject& pod, const std::string& why);
  void finish(Context& context, const std::string& path);
  void declare(Context& context, const PodGroup& group) const;
  void declare_member(Context& context, const k8s::Pod& pod) const;

  std::string scheduler_name_;
  GroupingOptions options_;
  ApiClient api_;
  ApiClient events_api_;
  EventRecorder events_;
  Informer<k8s::Pod> pods_;
  Informer<PodGroup> groups_;
  Informer<k8s::PriorityClass> classes_;
  OwnerCaches owners_;
  WorkQueue queue_;
};

}  // namespace troupe::kai
