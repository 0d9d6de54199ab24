// Which pods of a Job have ended, each counted once, and how long failures keep the next pod
// waiting.
//
// The real controller marks pods that it has not counted with a finalizer. Here it remembers their
// uids; what it had counted before a restart stands in the status. Failures during its absence may
// thus be missed, as far as older ones that the status counts are gone from the cluster.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "actors/workloads/core/pod_index.h"
#include "messages/k8s/batch.pb.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

/// pkg/controller/job: DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff.
inline constexpr Duration kFailureBackoff = std::chrono::seconds(10);
inline constexpr Duration kFailureBackoffMax = std::chrono::minutes(10);

/// What the controller remembers of a Job's pods, some of which are gone.
struct JobMemory {
  std::set<std::string> succeeded;  ///< uids; a pod is in one of the three at most
  std::set<std::string> failed;
  std::set<std::string> dismissed;  ///< deleted by the controller, for no fault of theirs
  std::int32_t base_succeeded = 0;  ///< of the status, when the controller first saw the Job
  std::int32_t base_failed = 0;
  bool begun = false;
  std::int32_t failures = 0;  ///< since the last success
  SimTime last_failure = kTimeZero;

  [[nodiscard]] bool has_counted(const std::string& uid) const {
    return succeeded.contains(uid) || failed.contains(uid) || dismissed.contains(uid);
  }
};

/// Counts the pods that have ended since the last look.
void count_ended(const k8s::Job& job, const OwnedPods& pods, JobMemory& memory);
[[nodiscard]] std::int32_t succeeded_pods(const JobMemory& memory);
[[nodiscard]] std::int32_t failed_pods(const JobMemory& memory);

/// How much longer the failures so far keep the next pod waiting: 10 s after the first, twice as
/// long after each further one without a success in between, at most 10 min. Not above zero: not at
/// all.
[[nodiscard]] Duration backoff_left(const JobMemory& memory, SimTime now);

}  // namespace troupe::workloads
