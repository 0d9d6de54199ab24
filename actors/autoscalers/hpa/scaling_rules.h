// How fast and how nervously an HPA may act: spec.behavior with its defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "messages/sim_time.h"

namespace troupe::hpa {

enum class SelectPolicy : std::uint8_t { Max, Min, Disabled };

struct ScalingPolicy {
  enum class Type : std::uint8_t { Pods, Percent };
  Type type = Type::Pods;
  std::int32_t value = 0;  ///< pods, or percent of the replicas at the start of the period
  Duration period{};
};

struct ScalingRules {
  Duration stabilization{};
  SelectPolicy select = SelectPolicy::Max;
  std::vector<ScalingPolicy> policies;
  std::optional<double> tolerance;  ///< obeyed from 1.35 on
};

struct Behavior {
  ScalingRules up;
  ScalingRules down;
};

/// What the API server fills in where `behavior` is given but a direction is not: up without a
/// window, by 4 pods or to the double every 15 s, whichever is more; down to nothing every 15 s,
/// after `downscale_stabilization`.
[[nodiscard]] ScalingRules default_rules_up();
[[nodiscard]] ScalingRules default_rules_down(Duration downscale_stabilization);

}  // namespace troupe::hpa
