// How far a metric is from its target. Sums and means are integers that truncate, the ratio is a
// double: in that order, because the rounding decides at the edge of the dead band.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "actors/autoscalers/hpa/pod_state.h"
#include "messages/result.h"

namespace troupe::hpa {

struct UsageRatio {
  double ratio = 0.0;
  std::int64_t mean_milli = 0;           ///< mean usage of a pod
  std::int32_t utilization_percent = 0;  ///< of the requests; utilisation targets only
};

/// Requests of each pod for one resource, in thousandths.
using PodRequests = std::map<std::string, std::int64_t>;

/// Mean of the samples against a target per pod. `metrics` is not empty.
[[nodiscard]] UsageRatio mean_ratio(const PodMetrics& metrics, std::int64_t target_milli);

/// Sum of the samples against the sum of the requests, as a whole percentage, against a target
/// percentage. Samples of pods without requests do not count; an error if no request is left.
[[nodiscard]] Result<UsageRatio> utilization_ratio(const PodMetrics& metrics,
                                                   const PodRequests& requests,
                                                   std::int32_t target_percent);

/// The requests of `pods` for `resource`: of `container` alone if it is named, else of the whole
/// pod.
[[nodiscard]] Result<PodRequests> requests_of(const std::vector<PodState>& pods,
                                              const std::string& resource,
                                              const std::string& container);

}  // namespace troupe::hpa
