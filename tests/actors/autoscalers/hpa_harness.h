// Builders for the pure HPA core: pods with samples, and an HPA that is synced on a grid of 15 s
// without any actor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "actors/autoscalers/hpa/decision.h"

namespace troupe::hpa::harness {

using namespace std::chrono_literals;

inline SimTime at(Duration since_start) {
  return kTimeZero + since_start;
}

/// A running, ready pod that started long before any time that a test uses.
inline PodState ready_pod(const std::string& name, std::int64_t cpu_request_milli = 200) {
  PodState pod;
  pod.name = name;
  pod.start_time = at(-1h);
  pod.ready_transition = at(-59min);
  pod.containers = {{"main", {{"cpu", cpu_request_milli}}}};
  return pod;
}

inline PodState pending_pod(const std::string& name, std::int64_t cpu_request_milli = 200) {
  PodState pod = ready_pod(name, cpu_request_milli);
  pod.phase = PodPhase::Pending;
  pod.ready = Readiness::False;
  pod.start_time.reset();
  return pod;
}

inline std::vector<PodState> ready_pods(int count, std::int64_t cpu_request_milli = 200) {
  std::vector<PodState> pods;
  for (int i = 0; i < count; ++i) {
    pods.push_back(ready_pod("p" + std::to_string(i), cpu_request_milli));
  }
  return pods;
}

inline MetricPoint point(std::int64_t milli, SimTime time = at(0s)) {
  return {milli, time, 15s};
}

/// One sample for each of p0, p1, ... in order.
inline PodMetrics samples(const std::vector<std::int64_t>& milli, SimTime time = at(0s)) {
  PodMetrics metrics;
  for (std::size_t i = 0; i < milli.size(); ++i) {
    metrics["p" + std::to_string(i)] = point(milli[i], time);
  }
  return metrics;
}

inline Situation situation(const std::vector<PodState>& pods, std::int32_t replicas,
                           Options options = {}) {
  return {replicas, replicas, pods, at(0s), {options.tolerance, options.tolerance, options.profile},
          options};
}

/// A metric `x` of pods with a mean of `target` (whole units) a pod.
inline MetricSpec pods_metric(std::int64_t target, const std::string& name = "x") {
  MetricSpec metric;
  metric.type = SourceType::Pods;
  metric.name = name;
  metric.target.average_value = target * 1000;
  return metric;
}
inline MetricSpec external_average(std::int64_t target, const std::string& name = "queue") {
  MetricSpec metric = pods_metric(target, name);
  metric.type = SourceType::External;
  return metric;
}

inline Behavior default_behavior() {
  return {default_rules_up(), default_rules_down(5min)};
}

/// An HPA whose target follows every rescale at once.
class Harness {
 public:
  explicit Harness(Spec spec, std::int32_t replicas, Options options = {})
      : spec_(std::move(spec)), options_(options), replicas_(replicas) {}

  /// A sync in which every replica runs, is ready and reports `units` of each metric.
  Decision sync_uniform(SimTime now, std::int64_t units) {
    std::vector<MetricReading> readings(spec_.metrics.size());
    for (MetricReading& reading : readings) {
      reading.pods = samples(
          std::vector<std::int64_t>(static_cast<std::size_t>(replicas_), units * 1000), now);
      reading.totals = {units * 1000};
    }
    return sync(now, ready_pods(replicas_), readings);
  }

  Decision sync(SimTime now, const std::vector<PodState>& pods,
                const std::vector<MetricReading>& readings) {
    const SyncContext context{spec_, {replicas_, status_replicas.value_or(replicas_), selector},
                              pods,  rivals,
                              now,   options_};
    std::optional<Decision> early = decide_without_metrics(context, memory);
    Decision decision = early ? *early : decide(context, readings, memory);
    if (decision.rescale) {
      conclude(spec_, {write_error, now}, decision, memory);
      if (!write_error) replicas_ = decision.desired;
    }
    return decision;
  }

  [[nodiscard]] std::int32_t replicas() const { return replicas_; }
  /// "True/ValidMetricFound"
  [[nodiscard]] std::string reason_of(std::string_view condition) const {
    const k8s::Condition* state = find_condition(memory.conditions, condition);
    return state == nullptr ? "" : state->status() + "/" + state->reason();
  }

  Memory memory;
  std::optional<std::int32_t> status_replicas;
  std::string selector = "app=x";
  std::vector<std::string> rivals;
  std::optional<std::string> write_error;

 private:
  Spec spec_;
  Options options_;
  std::int32_t replicas_;
};

inline Spec spec_of(std::vector<MetricSpec> metrics, std::int32_t max_replicas,
                    std::optional<Behavior> behavior = {}) {
  Spec spec;
  spec.namespace_name = "prod";
  spec.name = "chat";
  spec.target_kind = "Deployment";
  spec.target_name = "chat";
  spec.max_replicas = max_replicas;
  spec.metrics = std::move(metrics);
  spec.behavior = std::move(behavior);
  return spec;
}

}  // namespace troupe::hpa::harness
