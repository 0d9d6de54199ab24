#include "actors/autoscalers/hpa/spec_reader.h"

#include "messages/conditions.h"
#include "messages/labels.h"
#include "messages/quantity.h"

namespace troupe::hpa {
namespace {

// autoscaling/v2: an HPA without metrics is one on CPU at 80 % of the request.
constexpr std::int32_t kDefaultCpuPercent = 80;

std::optional<std::int64_t> milli(bool present, const std::string& text) {
  if (!present) return std::nullopt;
  const Result<Quantity> quantity = Quantity::parse(text);
  return quantity ? std::optional(quantity->to_milli()) : std::nullopt;
}

MetricTarget target_of(const k8s::MetricTarget& target) {
  MetricTarget out;
  out.value = milli(target.has_value(), target.value());
  out.average_value = milli(target.has_average_value(), target.average_value());
  if (target.has_average_utilization()) out.average_utilization = target.average_utilization();
  return out;
}

// An Object metric says by `type` which of its targets counts.
MetricTarget object_target_of(const k8s::MetricTarget& target) {
  MetricTarget out = target_of(target);
  if (target.type() == "Value") out.average_value.reset();
  if (target.type() == "AverageValue") out.value.reset();
  return out;
}

MetricSpec metric_of(const k8s::MetricSpec& metric) {
  MetricSpec out;
  if (metric.type() == "ContainerResource") {
    out.type = SourceType::ContainerResource;
    out.name = metric.container_resource().name();
    out.container = metric.container_resource().container();
    out.target = target_of(metric.container_resource().target());
  } else if (metric.type() == "Pods") {
    out.type = SourceType::Pods;
    out.name = metric.pods().metric().name();
    out.target = target_of(metric.pods().target());
  } else if (metric.type() == "Object") {
    out.type = SourceType::Object;
    out.name = metric.object().metric().name();
    out.object_kind = metric.object().described_object().kind();
    out.object_name = metric.object().described_object().name();
    out.target = object_target_of(metric.object().target());
  } else if (metric.type() == "External") {
    out.type = SourceType::External;
    out.name = metric.external().metric().name();
    out.target = target_of(metric.external().target());
  } else {
    out.name = metric.resource().name();
    out.target = target_of(metric.resource().target());
  }
  return out;
}

std::optional<double> tolerance_of(const k8s::HPAScalingRules& rules) {
  if (!rules.has_tolerance()) return std::nullopt;
  const std::optional<std::int64_t> parsed = milli(true, rules.tolerance());
  if (!parsed) return std::nullopt;
  return static_cast<double>(*parsed) / 1000.0;
}

ScalingRules rules_of(const k8s::HPAScalingRules& given, ScalingRules rules) {
  if (given.has_stabilization_window_seconds()) {
    rules.stabilization = std::chrono::seconds(given.stabilization_window_seconds());
  }
  if (given.select_policy() == "Min") rules.select = SelectPolicy::Min;
  if (given.select_policy() == "Disabled") rules.select = SelectPolicy::Disabled;
  if (!given.policies().empty()) rules.policies.clear();
  for (const k8s::HPAScalingPolicy& policy : given.policies()) {
    const auto type =
        policy.type() == "Percent" ? ScalingPolicy::Type::Percent : ScalingPolicy::Type::Pods;
    rules.policies.push_back({type, policy.value(), std::chrono::seconds(policy.period_seconds())});
  }
  rules.tolerance = tolerance_of(given);
  return rules;
}

PodPhase phase_of(const std::string& phase) {
  if (phase == "Running") return PodPhase::Running;
  if (phase == "Succeeded") return PodPhase::Succeeded;
  if (phase == "Failed") return PodPhase::Failed;
  if (phase == "Unknown") return PodPhase::Unknown;
  return PodPhase::Pending;
}

Readiness readiness_of(const k8s::Condition* ready) {
  if (ready == nullptr) return Readiness::Absent;
  if (ready->status() == "True") return Readiness::True;
  return ready->status() == "False" ? Readiness::False : Readiness::Unknown;
}

std::map<std::string, std::int64_t> amounts_of(const ResourceMap& amounts) {
  std::map<std::string, std::int64_t> out;
  for (const k8s::ResourceAmount& amount : amounts) {
    const Result<Quantity> quantity = Quantity::parse(amount.quantity());
    if (quantity) out[amount.name()] = quantity->to_milli();
  }
  return out;
}

}  // namespace

Spec spec_of(const k8s::HorizontalPodAutoscaler& hpa, Duration downscale_stabilization) {
  Spec spec;
  spec.namespace_name = hpa.metadata().namespace_();
  spec.name = hpa.metadata().name();
  spec.target_kind = hpa.spec().scale_target_ref().kind();
  spec.target_name = hpa.spec().scale_target_ref().name();
  spec.min_replicas = hpa.spec().has_min_replicas() ? hpa.spec().min_replicas() : 1;
  spec.max_replicas = hpa.spec().max_replicas();
  for (const k8s::MetricSpec& metric : hpa.spec().metrics()) {
    spec.metrics.push_back(metric_of(metric));
  }
  if (spec.metrics.empty()) {
    MetricSpec cpu;
    cpu.name = "cpu";
    cpu.target.average_utilization = kDefaultCpuPercent;
    spec.metrics.push_back(cpu);
  }
  if (hpa.spec().has_behavior()) {
    const auto& behavior = hpa.spec().behavior();
    spec.behavior =
        Behavior{rules_of(behavior.scale_up(), default_rules_up()),
                 rules_of(behavior.scale_down(), default_rules_down(downscale_stabilization))};
  }
  return spec;
}

PodState pod_state_of(const k8s::Pod& pod) {
  PodState state;
  state.name = pod.metadata().name();
  state.phase = phase_of(pod.status().phase());
  state.deleting = pod.metadata().has_deletion_timestamp();
  const k8s::Condition* ready = find_condition(pod.status().conditions(), "Ready");
  state.ready = readiness_of(ready);
  if (ready != nullptr) state.ready_transition = from_ns(ready->last_transition_time());
  if (pod.status().has_start_time()) state.start_time = from_ns(pod.status().start_time());
  for (const k8s::Container& container : pod.spec().containers()) {
    state.containers.push_back({container.name(), amounts_of(container.resources().requests())});
  }
  for (const k8s::Container& container : pod.spec().init_containers()) {
    if (container.restart_policy() != "Always") continue;
    state.containers.push_back({container.name(), amounts_of(container.resources().requests())});
  }
  if (pod.spec().has_resources() && !pod.spec().resources().requests().empty()) {
    state.pod_requests = amounts_of(pod.spec().resources().requests());
  }
  return state;
}

LabelRequirements requirements_of(const k8s::LabelSelector& selector) {
  LabelRequirements out;
  for (const k8s::KeyValue& pair : selector.match_labels()) {
    api::LabelRequirement& requirement = *out.Add();
    requirement.set_key(pair.key());
    requirement.set_operator_("In");
    requirement.add_values(pair.value());
  }
  for (const k8s::LabelSelectorRequirement& given : selector.match_expressions()) {
    api::LabelRequirement& requirement = *out.Add();
    requirement.set_key(given.key());
    requirement.set_operator_(given.operator_());
    *requirement.mutable_values() = given.values();
  }
  return out;
}

const k8s::LabelSelector& metric_selector_of(const k8s::MetricSpec& metric) {
  if (metric.type() == "Pods") return metric.pods().metric().selector();
  if (metric.type() == "Object") return metric.object().metric().selector();
  return metric.external().metric().selector();
}

}  // namespace troupe::hpa
