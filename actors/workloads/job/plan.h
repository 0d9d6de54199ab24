// What a Job does next: whether it is over, which pods to create and which to delete.
//
// kubernetes/kubernetes, pkg/controller/job/job_controller.go. Not modelled: pod failure policies,
// success policies and the limits for single indexes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "actors/api_client/event_recorder.h"
#include "actors/workloads/core/pod_index.h"
#include "actors/workloads/job/tracking.h"
#include "messages/k8s/batch.pb.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

/// pkg/controller/job: syncJobBatchPeriod. So long after a change of a pod or of the status the Job
/// is looked at: the changes of many pods are one look.
inline constexpr Duration kJobBatchPeriod = std::chrono::seconds(1);

struct JobPlan {
  k8s::JobStatus status;
  std::vector<std::int32_t> create;  ///< an index each; -1 for each pod of a NonIndexed Job
  std::vector<PodPtr> remove;
  bool dismiss = false;           ///< the pods to remove are no failures
  std::optional<Duration> again;  ///< when time alone changes something
  std::vector<EventText> events;  ///< to record once the status is written
};

[[nodiscard]] bool is_finished(const k8s::Job& job);
[[nodiscard]] bool is_indexed(const k8s::Job& job);

/// Counts the pods into `memory` and decides. `may_change_pods`: what was asked for before has been
/// seen.
[[nodiscard]] JobPlan plan_job(const k8s::Job& job, const OwnedPods& pods, JobMemory& memory,
                               bool may_change_pods, SimTime now);

/// The pod to create: template, labels of the Job, and the index where it has one.
[[nodiscard]] k8s::Pod pod_for(const k8s::Job& job, std::int32_t index);

}  // namespace troupe::workloads
