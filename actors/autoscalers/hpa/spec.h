// An HPA's wishes as plain values: what it scales, within which bounds, on which metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/autoscalers/hpa/scaling_rules.h"

namespace troupe::hpa {

enum class SourceType : std::uint8_t { Resource, ContainerResource, Pods, Object, External };

/// Exactly one is set in a valid metric; values in thousandths.
struct MetricTarget {
  std::optional<std::int64_t> value;
  std::optional<std::int64_t> average_value;
  std::optional<std::int32_t> average_utilization;
};

struct MetricSpec {
  SourceType type = SourceType::Resource;
  std::string name;         ///< of the metric, or of the resource
  std::string container;    ///< ContainerResource
  std::string object_kind;  ///< Object
  std::string object_name;
  MetricTarget target;
};

struct Spec {
  std::string namespace_name;
  std::string name;
  std::string target_kind;
  std::string target_name;
  std::int32_t min_replicas = 1;
  std::int32_t max_replicas = 1;
  std::vector<MetricSpec> metrics;
  std::optional<Behavior> behavior;  ///< defaults filled in; absent: the older rules apply
};

}  // namespace troupe::hpa
