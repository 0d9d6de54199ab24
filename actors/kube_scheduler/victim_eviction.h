// Carries a preemption out: marks the victims, deletes them with their grace, and withdraws the
// nominations of those who were waiting for the same node.
//
// kube-scheduler does this beside its cycles (the gate SchedulerAsyncPreemption, on since
// Kubernetes 1.33). The preemptor is held back until only the last victim is left to be told to go,
// so that the end of that one brings the preemptor back.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/api_client/api_client.h"
#include "actors/api_client/event_recorder.h"
#include "actors/scheduling/pod_info.h"

namespace troupe::kube_scheduler {

class VictimEviction {
 public:
  using PodObject = std::shared_ptr<const k8s::Pod>;
  using Done = std::function<void(Context&)>;
  struct Steps {
    Done
        unblock;  ///< only the last victim is left: events may bring the preemptor back from now on
    Done failed;  ///< a victim could not be deleted: the preemptor has to be tried again
  };

  VictimEviction(ApiClient& api, EventRecorder& events, std::string scheduler_name)
      : api_(api), events_(events), scheduler_name_(std::move(scheduler_name)) {}

  /// Deletes all victims but the last at once, and the last when they are deleted. None of
  /// `victims`, which must not be empty, is tried again; one that is gone already is no failure.
  void evict(Context& context, const scheduling::PodInfo& preemptor, const std::string& node,
             std::vector<PodObject> victims, Steps steps);
  /// Clears status.nominatedNodeName of a pod.
  void withdraw_nomination(Context& context, const k8s::Pod& pod);

 private:
  using Deleted = std::function<void(Context&, bool ok)>;

  void evict_one(Context& context, const std::string& preemptor, const std::string& node,
                 const PodObject& victim, Deleted deleted);
  void mark(Context& context, const k8s::Pod& victim, Done marked);

  ApiClient& api_;
  EventRecorder& events_;
  std::string scheduler_name_;
};

}  // namespace troupe::kube_scheduler
