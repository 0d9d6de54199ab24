#include "actors/autoscalers/hpa/status_writer.h"

#include "messages/quantity.h"

namespace troupe::hpa {
namespace {

k8s::MetricValueStatus value_of(const CurrentMetric& current) {
  k8s::MetricValueStatus value;
  const std::string usage = Quantity::milli(current.usage_milli).to_string();
  if (current.is_total) {
    value.set_value(usage);
  } else {
    value.set_average_value(usage);
  }
  if (current.utilization_percent) value.set_average_utilization(*current.utilization_percent);
  return value;
}

k8s::MetricStatus metric_status(const k8s::MetricSpec& spec, const CurrentMetric& current) {
  k8s::MetricStatus status;
  status.set_type(spec.type());
  if (spec.type() == "Resource") {
    status.mutable_resource()->set_name(spec.resource().name());
    *status.mutable_resource()->mutable_current() = value_of(current);
  } else if (spec.type() == "ContainerResource") {
    status.mutable_container_resource()->set_name(spec.container_resource().name());
    status.mutable_container_resource()->set_container(spec.container_resource().container());
    *status.mutable_container_resource()->mutable_current() = value_of(current);
  } else if (spec.type() == "Pods") {
    *status.mutable_pods()->mutable_metric() = spec.pods().metric();
    *status.mutable_pods()->mutable_current() = value_of(current);
  } else if (spec.type() == "Object") {
    *status.mutable_object()->mutable_metric() = spec.object().metric();
    *status.mutable_object()->mutable_described_object() = spec.object().described_object();
    *status.mutable_object()->mutable_current() = value_of(current);
  } else if (spec.type() == "External") {
    *status.mutable_external()->mutable_metric() = spec.external().metric();
    *status.mutable_external()->mutable_current() = value_of(current);
  }
  return status;
}

}  // namespace

k8s::HorizontalPodAutoscalerStatus status_after(const k8s::HorizontalPodAutoscaler& hpa,
                                                const Decision& decision,
                                                const ConditionList& conditions,
                                                std::optional<SimTime> rescaled) {
  k8s::HorizontalPodAutoscalerStatus status = hpa.status();
  *status.mutable_conditions() = conditions;
  if (!decision.scale_known) return status;
  status.set_current_replicas(decision.current);
  const bool kept = decision.metrics_failed || (decision.rescale && !rescaled);
  if (!kept) status.set_desired_replicas(decision.desired);
  if (rescaled) status.set_last_scale_time(to_ns(*rescaled));
  status.clear_current_metrics();
  for (const CurrentMetric& current : decision.metrics) {
    const auto index = static_cast<int>(current.metric);
    // The metric that stands in for an empty list has no entry in the object.
    if (index >= hpa.spec().metrics_size()) continue;
    *status.add_current_metrics() = metric_status(hpa.spec().metrics(index), current);
  }
  return status;
}

}  // namespace troupe::hpa
