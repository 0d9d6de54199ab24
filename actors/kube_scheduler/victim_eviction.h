// Carries a preemption out: marks the victims, deletes them with their grace, and withdraws the
// nominations of those who were waiting for the same node.
//
// kube-scheduler does this beside its cycles (the gate SchedulerAsyncPreemption, on since
// Kubernetes 1.33); the preemptor is not tried again until the last victim has been told to go.
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
  using Done = std::function<void(Context&)>;

  VictimEviction(ApiClient& api, EventRecorder& events, std::string scheduler_name)
      : api_(api), events_(events), scheduler_name_(std::move(scheduler_name)) {}

  /// `done` is called once every victim was deleted or could not be.
  void evict(Context& context, const scheduling::PodInfo& preemptor, const std::string& node,
             const std::vector<std::shared_ptr<const k8s::Pod>>& victims, Done done);
  /// Clears status.nominatedNodeName of a pod.
  void withdraw_nomination(Context& context, const k8s::Pod& pod);

 private:
  void mark(Context& context, const k8s::Pod& victim, Done marked);

  ApiClient& api_;
  EventRecorder& events_;
  std::string scheduler_name_;
};

}  // namespace troupe::kube_scheduler
