// From a metric's samples to a number of replicas: ceil(ratio x pods), and what to do about pods
// that have no sample yet.
//
// Pods without a sample must never push in the direction of the change: on a scale-up they count as
// using nothing, on a scale-down as being exactly at the target. If that turns the direction round,
// nothing is scaled. The order of operations in doubles is the original's (Kubernetes,
// pkg/controller/podautoscaler/replica_calculator.go).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/autoscalers/hpa/options.h"
#include "actors/autoscalers/hpa/pod_state.h"
#include "messages/result.h"

namespace troupe::hpa {

/// What one metric asks for.
struct Proposal {
  std::int32_t replicas = 0;
  std::int64_t usage_milli = 0;  ///< mean a pod, or the total where the target is a total
  std::optional<std::int32_t> utilization_percent;
};

/// The target as it was when the metrics arrived.
struct Situation {
  std::int32_t spec_replicas = 0;
  std::int32_t status_replicas = 0;
  const std::vector<PodState>& pods;
  SimTime now{};
  Tolerance tolerance;
  Options options;
};

/// Names a resource of a pod, or of one of its containers.
struct ResourceRef {
  std::string name;       ///< "cpu", "memory"
  std::string container;  ///< empty: the whole pod
};

class ReplicaCalculator {
 public:
  explicit ReplicaCalculator(const Situation& situation) : situation_(situation) {}

  /// Resource and ContainerResource metrics with averageUtilization.
  [[nodiscard]] Result<Proposal> by_utilization(PodMetrics metrics, const ResourceRef& resource,
                                                std::int32_t target_percent) const;
  /// Pods metrics, and resource metrics with averageValue; `resource` is empty for the former.
  [[nodiscard]] Result<Proposal> by_average(PodMetrics metrics, const std::string& resource,
                                            std::int64_t target_milli) const;
  /// Object and External metrics with a target for the total.
  [[nodiscard]] Result<Proposal> by_total(std::int64_t total_milli,
                                          std::int64_t target_milli) const;
  /// Object and External metrics with a target per replica. Divides by status.replicas, and returns
  /// that very number inside the dead band: during a rolling update it includes the surge, so
  /// replicas ratchet up (kubernetes#138505, open).
  [[nodiscard]] Proposal by_total_per_replica(std::int64_t total_milli,
                                              std::int64_t target_milli) const;

 private:
  Situation situation_;
};

/// Smallest whole number of replicas that is not below `replicas`, within 32 bits.
[[nodiscard]] std::int32_t round_up_replicas(double replicas);

}  // namespace troupe::hpa
