#include "actors/autoscalers/hpa/scaling_rules.h"

namespace troupe::hpa {
namespace {

// Defaults of autoscaling/v2 (kubernetes.io, "Horizontal Pod Autoscaling", default behavior).
constexpr Duration kPeriod = std::chrono::seconds(15);
constexpr std::int32_t kPodsUp = 4;
constexpr std::int32_t kPercent = 100;

}  // namespace

ScalingRules default_rules_up() {
  return {{},
          SelectPolicy::Max,
          {{ScalingPolicy::Type::Pods, kPodsUp, kPeriod},
           {ScalingPolicy::Type::Percent, kPercent, kPeriod}},
          {}};
}

ScalingRules default_rules_down(Duration downscale_stabilization) {
  return {downscale_stabilization,
          SelectPolicy::Max,
          {{ScalingPolicy::Type::Percent, kPercent, kPeriod}},
          {}};
}

}  // namespace troupe::hpa
