// Answers the custom and external metrics APIs from Prometheus' series, as prometheus-adapter does
// with its usual rules.
//
// A metric is asked for by name; which series it means is said by a rule of the configuration or,
// without one, found: the series of that name; of that name with ':' for '_' or with an exporter's
// prefix ("num_requests_waiting" finds "vllm:num_requests_waiting"); or the counter NAME_total,
// read as a rate. Series of one pod are summed, except the duty cycles of a pod's GPUs, which
// everybody averages. No series is an answer of its own, never a zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/telemetry/series_store.h"

namespace troupe::telemetry {

class MetricsAdapter {
 public:
  /// `store` outlives the adapter.
  MetricsAdapter(const SeriesStore& store, std::vector<MetricRule> rules);

  /// PODS: one value for each of `pods` (sorted) that has a series; a pod without one is left out.
  [[nodiscard]] MetricsReply for_pods(const MetricsQuery& query,
                                      const std::vector<std::string>& pods, SimTime now) const;
  /// OBJECT: the series whose label named like the object's kind is the object's name.
  [[nodiscard]] MetricsReply for_object(const MetricsQuery& query, SimTime now) const;
  /// EXTERNAL: all series that the selector matches, in the query's namespace where they name one.
  [[nodiscard]] MetricsReply external(const MetricsQuery& query, SimTime now) const;

 private:
  [[nodiscard]] std::optional<MetricRule> rule_for(const std::string& metric) const;

  const SeriesStore& store_;
  std::vector<MetricRule> rules_;
};

}  // namespace troupe::telemetry
