// Sorts a target's pods by what their samples are worth: counted, not yet trustworthy, missing, or
// on their way out.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "actors/autoscalers/hpa/options.h"
#include "actors/autoscalers/hpa/pod_state.h"

namespace troupe::hpa {

struct PodGroups {
  std::int64_t ready = 0;         ///< pods whose sample counts
  std::set<std::string> unready;  ///< Pending, or (CPU only) still warming up
  std::set<std::string> missing;  ///< running without a sample
  std::set<std::string> ignored;  ///< being deleted, or Failed
};

/// Start-up spikes make CPU samples of young pods misleading, so only CPU metrics look at
/// readiness.
struct CpuWarmUp {
  bool applies = false;
  SimTime now{};
  Duration initialization{};
  Duration readiness_delay{};
};

[[nodiscard]] PodGroups group_pods(const std::vector<PodState>& pods, const PodMetrics& metrics,
                                   const CpuWarmUp& warm_up);

/// Drops the samples of `pods`.
void remove_samples(PodMetrics& metrics, const std::set<std::string>& pods);

}  // namespace troupe::hpa
