#include "actors/autoscalers/hpa/history.h"

#include <algorithm>

namespace troupe::hpa {
namespace {

Duration longest_period(const ScalingRules& rules) {
  Duration longest{};
  for (const ScalingPolicy& policy : rules.policies) longest = std::max(longest, policy.period);
  return longest;
}

void remember(std::vector<ScaleEvent>& events, const ScalingRules& rules, const ScaleEvent& event) {
  const SimTime cutoff = event.time - longest_period(rules);
  const auto outdated = std::find_if(events.rbegin(), events.rend(),
                                     [&](const ScaleEvent& old) { return old.time < cutoff; });
  if (outdated != events.rend()) {
    *outdated = event;
  } else {
    events.push_back(event);
  }
}

}  // namespace

void History::begin(std::int32_t current_replicas, SimTime now) {
  if (recommendations.empty()) recommendations.push_back({current_replicas, now});
}

void History::record_rescale(const Behavior& behavior, std::int32_t from, std::int32_t to,
                             SimTime now) {
  if (to > from) {
    remember(scale_ups, behavior.up, {to - from, now});
  } else {
    remember(scale_downs, behavior.down, {from - to, now});
  }
}

}  // namespace troupe::hpa
