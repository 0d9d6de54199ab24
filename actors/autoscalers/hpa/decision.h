// One sync of one HPA, without any message: from the target's scale, its pods and its metrics to
// the number of replicas to write, the conditions and the events.
//
// The controller calls `decide_without_metrics` first, since a target that is switched off or out
// of bounds needs no metric, then `decide` with the readings, and `conclude` once the API server
// has answered the write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/autoscalers/hpa/history.h"
#include "actors/autoscalers/hpa/metric_proposals.h"
#include "actors/autoscalers/hpa/options.h"
#include "actors/autoscalers/hpa/spec.h"
#include "messages/conditions.h"

namespace troupe::hpa {

/// The scale subresource of the target.
struct ScaleState {
  std::int32_t spec_replicas = 0;
  std::int32_t status_replicas = 0;
  std::string selector;  ///< empty: the target has none, and cannot be scaled on metrics
};

/// What a sync knows besides the metrics.
struct SyncContext {
  const Spec& spec;
  ScaleState scale;
  const std::vector<PodState>& pods;
  /// Every HPA that selects one of these pods, this one included, as "namespace/name" in order.
  std::vector<std::string> rivals;
  SimTime now{};
  Options options;
};

struct Decision {
  bool rescale = false;
  bool scale_known = true;  ///< false: the target's scale could not be read
  std::int32_t current = 0;
  std::int32_t desired = 0;     ///< equals `current` unless `rescale`
  bool metrics_failed = false;  ///< no wish could be computed: the status keeps its old one
  std::string reason{};         ///< of a rescale: "pods metric x above target"
  std::string signal{};         ///< of the metric that decided
  std::vector<HpaEvent> events{};
  std::vector<CurrentMetric> metrics{};
};

// The types of an HPA's conditions.
inline constexpr std::string_view kAbleToScale = "AbleToScale";
inline constexpr std::string_view kScalingActive = "ScalingActive";
inline constexpr std::string_view kScalingLimited = "ScalingLimited";

/// What a sync reads and changes: the controller's memory of the HPA, and the conditions of its
/// status.
struct Memory {
  History history;
  ConditionList conditions;
};

[[nodiscard]] std::optional<Decision> decide_without_metrics(const SyncContext& sync,
                                                             Memory& memory);
[[nodiscard]] Decision decide(const SyncContext& sync, const std::vector<MetricReading>& readings,
                              Memory& memory);

/// The scale of the target could not be read.
[[nodiscard]] Decision give_up_on_scale(const std::string& error, SimTime now, Memory& memory);

/// How the write of the scale went: an error, or none.
struct WriteOutcome {
  std::optional<std::string> error;
  SimTime now{};
};
/// Completes a decision with `rescale` by the answer to its write: conditions, events, and the rate
/// limit's history.
void conclude(const Spec& spec, const WriteOutcome& outcome, Decision& decision, Memory& memory);

/// The dead band of an HPA: the controller's, or its own per direction from 1.35 on.
[[nodiscard]] Tolerance tolerance_of(const Spec& spec, const Options& options);

}  // namespace troupe::hpa
