#include "actors/workloads/job/tracking.h"

#include <algorithm>
#include <vector>

#include "actors/workloads/job/indexes.h"
#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"

namespace troupe::workloads {
namespace {

/// backoff_utils.go getFinishedTime: the end of the last container; else when the pod ceased to be
/// ready; else when it was told to end; else its creation.
SimTime ended_at(const k8s::Pod& pod) {
  std::int64_t ended = 0;
  for (const k8s::ContainerStatus& status : pod.status().container_statuses()) {
    ended = std::max(ended, status.state().terminated().finished_at());
  }
  if (ended != 0) return from_ns(ended);
  const k8s::Condition* ready = find_condition(pod.status().conditions(), "Ready");
  if (ready != nullptr && ready->status() == "False" && ready->last_transition_time() != 0) {
    return from_ns(ready->last_transition_time());
  }
  const k8s::ObjectMeta& meta = pod.metadata();
  if (!meta.has_deletion_timestamp()) return from_ns(meta.creation_timestamp());
  return from_ns(meta.deletion_timestamp()) -
         std::chrono::seconds(meta.deletion_grace_period_seconds());
}

bool is_success(const k8s::Pod& pod) {
  return pod.status().phase() == "Succeeded";
}

/// A pod that is told to end before it has ended counts as failed, unless the Job replaces only
/// pods that really have.
bool is_failure(const k8s::Job& job, const k8s::Pod& pod) {
  if (pod.status().phase() == "Failed") return true;
  if (job.spec().pod_replacement_policy() == "Failed") return false;
  return is_terminating(pod) && !is_terminal(pod);
}

bool counts(const k8s::Job& job, const k8s::Pod& pod) {
  if (job.spec().completion_mode() != "Indexed") return true;
  const std::int32_t index = index_of(pod);
  return index >= 0 && index < job.spec().completions();
}

std::int32_t narrow(std::size_t count) {
  return static_cast<std::int32_t>(count);
}

/// What the status may have counted before a restart. Pods that are ending are taken as counted:
/// most are, and those that the controller dismissed must not become failures.
void begin(const k8s::Job& job, const OwnedPods& pods, JobMemory& memory) {
  memory.begun = true;
  for (const auto& [path, pod] : pods.all()) {
    const std::string& uid = pod->metadata().uid();
    if (is_success(*pod)) {
      memory.succeeded.insert(uid);
    } else if (pod->status().phase() == "Failed") {
      memory.failed.insert(uid);
    } else if (is_terminating(*pod)) {
      memory.dismissed.insert(uid);
    }
  }
  memory.base_succeeded = std::max(job.status().succeeded() - narrow(memory.succeeded.size()), 0);
  memory.base_failed = std::max(job.status().failed() - narrow(memory.failed.size()), 0);
}

}  // namespace

void count_ended(const k8s::Job& job, const OwnedPods& pods, JobMemory& memory) {
  if (!memory.begun) begin(job, pods, memory);
  SimTime last_success = kTimeZero;
  std::vector<SimTime> failures;
  bool success = false;
  for (const auto& [path, pod] : pods.all()) {
    const std::string& uid = pod->metadata().uid();
    if (memory.has_counted(uid) || !counts(job, *pod)) continue;
    if (is_success(*pod)) {
      memory.succeeded.insert(uid);
      success = true;
      last_success = std::max(last_success, ended_at(*pod));
    } else if (is_failure(job, *pod)) {
      memory.failed.insert(uid);
      failures.push_back(ended_at(*pod));
    }
  }
  if (success) memory.failures = 0;
  for (const SimTime at : failures) {
    if (success && at <= last_success) continue;
    ++memory.failures;
    memory.last_failure = std::max(memory.last_failure, at);
  }
}

std::int32_t succeeded_pods(const JobMemory& memory) {
  return memory.base_succeeded + narrow(memory.succeeded.size());
}

std::int32_t failed_pods(const JobMemory& memory) {
  return memory.base_failed + narrow(memory.failed.size());
}

Duration backoff_left(const JobMemory& memory, SimTime now) {
  if (memory.failures == 0) return Duration::zero();
  Duration backoff = kFailureBackoff;
  for (std::int32_t i = 1; i < memory.failures && backoff < kFailureBackoffMax; ++i) backoff *= 2;
  return memory.last_failure + std::min(backoff, kFailureBackoffMax) - now;
}

}  // namespace troupe::workloads
