// Each metric of an HPA proposes a number of replicas, and the largest wins; a metric that cannot
// be read may hold a scale-down back but never causes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/autoscalers/hpa/replica_calculator.h"
#include "actors/autoscalers/hpa/spec.h"

namespace troupe::hpa {

/// What came back from the metrics API for one metric.
struct MetricReading {
  std::string error;                 ///< not empty: nothing came
  PodMetrics pods;                   ///< Resource, ContainerResource, Pods
  std::vector<std::int64_t> totals;  ///< Object: one value; External: one per series; thousandths
};

/// A Kubernetes event of the HPA.
struct HpaEvent {
  bool warning = false;
  std::string reason;
  std::string message;

  friend bool operator==(const HpaEvent&, const HpaEvent&) = default;
};

/// A metric's current value, for the HPA's status.
struct CurrentMetric {
  std::size_t metric = 0;  ///< its index in the spec
  std::int64_t usage_milli = 0;
  bool is_total = false;  ///< `usage_milli` is a total, not a mean a pod
  std::optional<std::int32_t> utilization_percent;
};

struct CombinedProposal {
  bool valid = false;  ///< false: change nothing
  std::int32_t replicas = 0;
  std::string metric;  ///< "pods metric vllm_num_requests_waiting": the one that asked for most
  std::string signal;  ///< "vllm_num_requests_waiting=12.5 target=10" of the same
  std::string error;   ///< of the metrics that could not be read; empty if all could
  std::string failed_reason;  ///< of the first of them: "FailedGetPodsMetric"
  std::string failed_message;
  std::vector<HpaEvent> events;
  std::vector<CurrentMetric> current;
};

/// `readings` has one entry per metric of `spec`, in the same order.
[[nodiscard]] CombinedProposal combine_metrics(const Spec& spec, const Situation& situation,
                                               const std::vector<MetricReading>& readings);

}  // namespace troupe::hpa
