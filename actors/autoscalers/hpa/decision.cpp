#include "actors/autoscalers/hpa/decision.h"

#include "actors/autoscalers/hpa/replica_limits.h"

namespace troupe::hpa {
namespace {

void set(Memory& memory, SimTime now, const ConditionState& state) {
  set_condition(memory.conditions, state, now);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) text += (text.size() > 1 ? " " : "") + name;
  return text + "]";
}

// Refuses a sync whose target's pods cannot be told: no metric is read then.
std::optional<Decision> refuse_selector(const SyncContext& sync, Memory& memory) {
  HpaEvent event{true, {}, {}};
  std::string condition_reason;
  std::string message;
  if (sync.scale.selector.empty()) {
    event = {true, "SelectorRequired", "selector is required"};
    condition_reason = "InvalidSelector";
    message = "the HPA target's scale is missing a selector";
  } else if (sync.rivals.size() > 1) {
    message = "pods by selector " + sync.scale.selector +
              " are controlled by multiple HPAs: " + joined(sync.rivals);
    event = {true, "AmbiguousSelector", message};
    condition_reason = "AmbiguousSelector";
  } else {
    return std::nullopt;
  }
  set(memory, sync.now, {kScalingActive, "False", condition_reason, message});
  Decision decision{.current = sync.scale.spec_replicas, .metrics_failed = true};
  decision.events = {event, {true, "FailedComputeMetricsReplicas", event.message}};
  return decision;
}

LimitedReplicas limit(const SyncContext& sync, std::int32_t proposed, History& history) {
  const LimitArguments arguments{sync.spec.min_replicas, sync.spec.max_replicas,
                                 sync.scale.spec_replicas, proposed, sync.now};
  if (sync.spec.behavior) return limit_by_behavior(arguments, *sync.spec.behavior, history);
  return limit_without_behavior(arguments, sync.options.downscale_stabilization, history);
}

std::string reason_for(std::int32_t proposed, std::int32_t current, const std::string& metric) {
  if (proposed > current) return metric + " above target";
  if (proposed < current) return "All metrics below target";
  return {};
}

}  // namespace

Tolerance tolerance_of(const Spec& spec, const Options& options) {
  Tolerance tolerance{options.tolerance, options.tolerance, options.profile};
  if (options.profile == Profile::Kubernetes131 || !spec.behavior) return tolerance;
  tolerance.down = spec.behavior->down.tolerance.value_or(options.tolerance);
  tolerance.up = spec.behavior->up.tolerance.value_or(options.tolerance);
  return tolerance;
}

std::optional<Decision> decide_without_metrics(const SyncContext& sync, Memory& memory) {
  const std::int32_t current = sync.scale.spec_replicas;
  set(memory, sync.now,
      {kAbleToScale, "True", "SucceededGetScale",
       "the HPA controller was able to get the target's current scale"});
  memory.history.begin(current, sync.now);
  if (current == 0 && sync.spec.min_replicas != 0) {
    set(memory, sync.now,
        {kScalingActive, "False", "ScalingDisabled",
         "scaling is disabled since the replica count of the target is zero"});
    return Decision{.current = current, .desired = current};
  }
  if (current > sync.spec.max_replicas) {
    return Decision{.rescale = true,
                    .current = current,
                    .desired = sync.spec.max_replicas,
                    .reason = "Current number of replicas above Spec.MaxReplicas"};
  }
  if (current < sync.spec.min_replicas) {
    return Decision{.rescale = true,
                    .current = current,
                    .desired = sync.spec.min_replicas,
                    .reason = "Current number of replicas below Spec.MinReplicas"};
  }
  return refuse_selector(sync, memory);
}

Decision decide(const SyncContext& sync, const std::vector<MetricReading>& readings,
                Memory& memory) {
  const std::int32_t current = sync.scale.spec_replicas;
  const Situation situation{current,
                            sync.scale.status_replicas,
                            sync.pods,
                            sync.now,
                            tolerance_of(sync.spec, sync.options),
                            sync.options};
  CombinedProposal combined = combine_metrics(sync.spec, situation, readings);
  Decision decision{.current = current, .desired = current};
  decision.events = std::move(combined.events);
  decision.metrics = std::move(combined.current);
  if (!combined.valid) {
    decision.metrics_failed = true;
    set(memory, sync.now,
        {kScalingActive, "False", combined.failed_reason, combined.failed_message});
    decision.events.push_back({true, "FailedComputeMetricsReplicas", combined.error});
    return decision;
  }
  set(memory, sync.now,
      {kScalingActive, "True", "ValidMetricFound",
       "the HPA was able to successfully calculate a replica count from " + combined.metric});

  const LimitedReplicas limited = limit(sync, combined.replicas, memory.history);
  set(memory, sync.now, {kAbleToScale, "True", limited.able_reason, limited.able_message});
  set(memory, sync.now,
      {kScalingLimited, limited.limited ? "True" : "False", limited.limit_reason,
       limited.limit_message});
  decision.desired = limited.replicas;
  decision.rescale = limited.replicas != current;
  decision.reason = reason_for(combined.replicas, current, combined.metric);
  decision.signal = combined.signal;
  return decision;
}

Decision give_up_on_scale(const std::string& error, SimTime now, Memory& memory) {
  set(memory, now,
      {kAbleToScale, "False", "FailedGetScale",
       "the HPA controller was unable to get the target's current scale: " + error});
  Decision decision{.scale_known = false, .metrics_failed = true};
  decision.events = {{true, "FailedGetScale", error}};
  return decision;
}

void conclude(const Spec& spec, const WriteOutcome& outcome, Decision& decision, Memory& memory) {
  const std::string size = std::to_string(decision.desired);
  const std::string text = "New size: " + size + "; reason: " + decision.reason;
  if (outcome.error) {
    set(memory, outcome.now,
        {kAbleToScale, "False", "FailedUpdateScale",
         "the HPA controller was unable to update the target scale: " + *outcome.error});
    decision.events.push_back({true, "FailedRescale", text + "; error: " + *outcome.error});
    return;
  }
  set(memory, outcome.now,
      {kAbleToScale, "True", "SucceededRescale",
       "the HPA controller was able to update the target scale to " + size});
  decision.events.push_back({false, "SuccessfulRescale", text});
  if (spec.behavior) {
    memory.history.record_rescale(*spec.behavior, decision.current, decision.desired, outcome.now);
  }
}

}  // namespace troupe::hpa
