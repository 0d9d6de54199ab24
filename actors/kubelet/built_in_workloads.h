// The workloads that need no engine: a job that runs for a drawn time, and a container that waits
// for ever.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "messages/hosts.pb.h"

namespace troupe::kubelet {

/// What such a workload knows of its pod.
struct BuiltInSpec {
  std::string uid;
  std::string node_path;  ///< of the kubelet
  std::vector<std::string> gpu_paths;
  std::int64_t gpu_memory_mib = 0;  ///< of one GPU; a job holds three quarters of it
  hosts::WorkloadProfile profile;
};

/// Busy from its start until its drawn duration is over, then exits with its code. SIGTERM ends it
/// at once.
[[nodiscard]] std::unique_ptr<Actor> make_job(BuiltInSpec spec);
/// Holds what it was given and does nothing. SIGTERM ends it at once.
[[nodiscard]] std::unique_ptr<Actor> make_pause(BuiltInSpec spec);

}  // namespace troupe::kubelet
