#include "actors/autoscalers/hpa/metric_queries.h"

namespace troupe::hpa {
namespace {

using telemetry::MetricsQuery;

MetricsQuery::Source source_of(SourceType type) {
  switch (type) {
    case SourceType::Resource:
    case SourceType::ContainerResource:
      return MetricsQuery::POD_RESOURCE;
    case SourceType::Pods:
      return MetricsQuery::PODS;
    case SourceType::Object:
      return MetricsQuery::OBJECT;
    case SourceType::External:
      return MetricsQuery::EXTERNAL;
  }
  return MetricsQuery::EXTERNAL;
}

const char* api_of(MetricsQuery::Source source) {
  switch (source) {
    case MetricsQuery::POD_RESOURCE:
      return "resource metrics API";
    case MetricsQuery::EXTERNAL:
      return "external metrics API";
    default:
      return "custom metrics API";
  }
}

}  // namespace

MetricsQuery query_for(const Spec& spec, const k8s::HorizontalPodAutoscaler& hpa, std::size_t index,
                       const LabelRequirements& pods) {
  const MetricSpec& metric = spec.metrics[index];
  MetricsQuery query;
  query.set_source(source_of(metric.type));
  query.set_namespace_(spec.namespace_name);
  query.set_metric(metric.name);
  query.set_container(metric.container);
  query.set_object_kind(metric.object_kind);
  query.set_object_name(metric.object_name);
  if (query.source() == MetricsQuery::POD_RESOURCE || query.source() == MetricsQuery::PODS) {
    *query.mutable_pod_selector() = pods;
  }
  // The metric that stands in for an empty list has no entry in the object, and no selector.
  const auto at = static_cast<int>(index);
  if (at < hpa.spec().metrics_size() && query.source() != MetricsQuery::POD_RESOURCE) {
    *query.mutable_metric_selector() = requirements_of(metric_selector_of(hpa.spec().metrics(at)));
  }
  return query;
}

MetricReading reading_of(SourceType type, const telemetry::MetricsReply& reply) {
  MetricReading reading;
  const MetricsQuery::Source source = source_of(type);
  if (reply.code() != 200) {
    reading.error = reply.message();
  } else if (reply.values().empty()) {
    reading.error = std::string("no metrics returned from ") + api_of(source);
  }
  for (const telemetry::MetricValue& value : reply.values()) {
    if (value.pod().empty()) {
      reading.totals.push_back(value.milli());
    } else {
      reading.pods[value.pod()] = {value.milli(), from_ns(value.timestamp_ns()),
                                   Duration{value.window_ns()}};
    }
  }
  return reading;
}

}  // namespace troupe::hpa
