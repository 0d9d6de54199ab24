// From the number that the metrics ask for to the number that is written: stabilization windows,
// rate limits, bounds.
//
// With `behavior` the limits are its policies over the HPA's own scale events; without it an older
// rule applies: one fixed window for scale-downs and at most max(2 x current, 4) replicas, with no
// account of the past.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "actors/autoscalers/hpa/history.h"
#include "actors/autoscalers/hpa/scaling_rules.h"

namespace troupe::hpa {

struct LimitArguments {
  std::int32_t min_replicas = 1;
  std::int32_t max_replicas = 1;
  std::int32_t current = 0;
  std::int32_t proposed = 0;  ///< by the metrics
  SimTime now{};
};

/// What became of a proposal, in the words of the HPA's conditions.
struct LimitedReplicas {
  std::int32_t replicas = 0;
  std::string able_reason;  ///< AbleToScale is True for this reason
  std::string able_message;
  bool limited = false;  ///< ScalingLimited
  std::string limit_reason;
  std::string limit_message;
};

/// Records the proposal in `history` before any limit applies.
[[nodiscard]] LimitedReplicas limit_by_behavior(const LimitArguments& arguments,
                                                const Behavior& behavior, History& history);
[[nodiscard]] LimitedReplicas limit_without_behavior(const LimitArguments& arguments,
                                                     Duration downscale_stabilization,
                                                     History& history);

}  // namespace troupe::hpa
