#include "actors/autoscalers/hpa/replica_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe::hpa {
namespace {

// Texts that `kubectl describe hpa` shows.
constexpr const char* kLowestRecent =
    "recent recommendations were lower than current one, applying the lowest recent recommendation";
constexpr const char* kHighestRecent =
    "recent recommendations were higher than current one, applying the highest recent "
    "recommendation";
constexpr const char* kRateUp =
    "the desired replica count is increasing faster than the maximum scale rate";
constexpr const char* kRateDown =
    "the desired replica count is decreasing faster than the maximum scale rate";
constexpr const char* kAboveMax =
    "the desired replica count is more than the maximum replica count";
constexpr const char* kBelowMin =
    "the desired replica count is less than the minimum replica count";

struct Bounded {
  std::int32_t replicas = 0;
  const char* reason = "DesiredWithinRange";
  const char* message = "the desired count is within the acceptable range";
};

void record(History& history, const Recommendation& recommendation, SimTime obsolete) {
  auto& all = history.recommendations;
  const auto old = std::find_if(all.rbegin(), all.rend(),
                                [&](const Recommendation& past) { return past.time < obsolete; });
  if (old != all.rend()) {
    *old = recommendation;
  } else {
    all.push_back(recommendation);
  }
}

// Pods added or removed within the last `period`; an event exactly one period old no longer counts.
std::int64_t changes_within(const std::vector<ScaleEvent>& events, Duration period, SimTime now) {
  std::int64_t sum = 0;
  for (const ScaleEvent& event : events) {
    if (event.time > now - period) sum += event.change;
  }
  return sum;
}

std::int64_t at_period_start(std::int32_t current, const History& history, Duration period,
                             SimTime now) {
  return current - changes_within(history.scale_ups, period, now) +
         changes_within(history.scale_downs, period, now);
}

std::int32_t clamp32(double value) {
  return static_cast<std::int32_t>(
      std::clamp(value, static_cast<double>(std::numeric_limits<std::int32_t>::min()),
                 static_cast<double>(std::numeric_limits<std::int32_t>::max())));
}

// The most replicas that scaling up may reach.
std::int32_t limit_up(const LimitArguments& in, const ScalingRules& rules, const History& history) {
  if (rules.select == SelectPolicy::Disabled) return in.current;
  const bool lowest = rules.select == SelectPolicy::Min;
  std::int32_t limit =
      lowest ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int32_t>::min();
  for (const ScalingPolicy& policy : rules.policies) {
    const auto start =
        static_cast<double>(at_period_start(in.current, history, policy.period, in.now));
    const std::int32_t proposed =
        policy.type == ScalingPolicy::Type::Pods
            ? clamp32(start + policy.value)
            : clamp32(std::ceil(start * (1 + static_cast<double>(policy.value) / 100)));
    limit = lowest ? std::min(limit, proposed) : std::max(limit, proposed);
  }
  return std::max(limit, in.current);
}

// The fewest replicas that scaling down may reach. `Max` means the largest change, so the lowest
// number.
std::int32_t limit_down(const LimitArguments& in, const ScalingRules& rules,
                        const History& history) {
  if (rules.select == SelectPolicy::Disabled) return in.current;
  const bool smallest_change = rules.select == SelectPolicy::Min;
  std::int32_t limit = smallest_change ? std::numeric_limits<std::int32_t>::min()
                                       : std::numeric_limits<std::int32_t>::max();
  for (const ScalingPolicy& policy : rules.policies) {
    const auto start =
        static_cast<double>(at_period_start(in.current, history, policy.period, in.now));
    const std::int32_t proposed =
        policy.type == ScalingPolicy::Type::Pods
            ? clamp32(start - policy.value)
            : clamp32(std::trunc(start * (1 - static_cast<double>(policy.value) / 100)));
    limit = smallest_change ? std::max(limit, proposed) : std::min(limit, proposed);
  }
  return std::min(limit, in.current);
}

Bounded bound_by_rate(const LimitArguments& in, std::int32_t desired, const Behavior& behavior,
                      const History& history) {
  if (desired > in.current) {
    const std::int32_t limit = limit_up(in, behavior.up, history);
    const bool rate = in.max_replicas > limit;
    const std::int32_t most = rate ? limit : in.max_replicas;
    if (desired > most) {
      return rate ? Bounded{most, "ScaleUpLimit", kRateUp}
                  : Bounded{most, "TooManyReplicas", kAboveMax};
    }
  } else if (desired < in.current) {
    const std::int32_t limit = limit_down(in, behavior.down, history);
    const bool rate = in.min_replicas < limit;
    const std::int32_t fewest = rate ? limit : in.min_replicas;
    if (desired < fewest) {
      return rate ? Bounded{fewest, "ScaleDownLimit", kRateDown}
                  : Bounded{fewest, "TooFewReplicas", kBelowMin};
    }
  }
  return {desired};
}

// Keeps the current replicas between the lowest recommendation of the window for growing and the
// highest of the window for shrinking.
std::int32_t stabilize(const LimitArguments& in, const Behavior& behavior, History& history) {
  const SimTime up_cutoff = in.now - behavior.up.stabilization;
  const SimTime down_cutoff = in.now - behavior.down.stabilization;
  std::int32_t lowest = in.proposed;
  std::int32_t highest = in.proposed;
  for (const Recommendation& past : history.recommendations) {
    if (past.time > up_cutoff) lowest = std::min(lowest, past.replicas);
    if (past.time > down_cutoff) highest = std::max(highest, past.replicas);
  }
  record(history, {in.proposed, in.now}, std::min(up_cutoff, down_cutoff));
  return std::min(std::max(in.current, lowest), highest);
}

LimitedReplicas describe(const LimitArguments& in, std::int32_t stabilized, const Bounded& bounded,
                         bool shrinking) {
  LimitedReplicas out{bounded.replicas,
                      "ReadyForNewScale",
                      "recommended size matches current size",
                      bounded.replicas != stabilized,
                      bounded.reason,
                      bounded.message};
  if (stabilized != in.proposed) {
    out.able_reason = shrinking ? "ScaleDownStabilized" : "ScaleUpStabilized";
    out.able_message = shrinking ? kHighestRecent : kLowestRecent;
  }
  return out;
}

}  // namespace

LimitedReplicas limit_by_behavior(const LimitArguments& arguments, const Behavior& behavior,
                                  History& history) {
  const std::int32_t stabilized = stabilize(arguments, behavior, history);
  const Bounded bounded = bound_by_rate(arguments, stabilized, behavior, history);
  return describe(arguments, stabilized, bounded, arguments.proposed < arguments.current);
}

LimitedReplicas limit_without_behavior(const LimitArguments& arguments,
                                       Duration downscale_stabilization, History& history) {
  const SimTime cutoff = arguments.now - downscale_stabilization;
  std::int32_t highest = arguments.proposed;
  for (const Recommendation& past : history.recommendations) {
    // Unlike with behavior, a recommendation exactly one window old still counts.
    if (past.time >= cutoff) highest = std::max(highest, past.replicas);
  }
  record(history, {arguments.proposed, arguments.now}, cutoff);

  // Kubernetes, scaleUpLimitFactor 2 and scaleUpLimitMinimum 4.
  const std::int32_t rate_limit = clamp32(std::max(2.0 * arguments.current, 4.0));
  const bool rate = arguments.max_replicas > rate_limit;
  const std::int32_t most = rate ? rate_limit : arguments.max_replicas;
  Bounded bounded{highest};
  if (highest < arguments.min_replicas) {
    bounded = {arguments.min_replicas, "TooFewReplicas", kBelowMin};
  } else if (highest > most) {
    bounded =
        rate ? Bounded{most, "ScaleUpLimit", kRateUp} : Bounded{most, "TooManyReplicas", kAboveMax};
  }
  return describe(arguments, highest, bounded, true);
}

}  // namespace troupe::hpa
