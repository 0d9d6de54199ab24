#include "actors/lessons/toy_policy.h"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::lessons {
namespace {

constexpr std::array<std::pair<std::string_view, ToyPolicy>, 3> kNames = {{
    {"duty-cycle", ToyPolicy::DutyCycle},
    {"queue-depth", ToyPolicy::QueueDepth},
    {"kai-gang", ToyPolicy::KaiGang},
}};

std::int64_t duty_change(const ToySignals& signals) {
  if (signals.busy * 10 > signals.ready * 7) return 1;
  if (signals.busy * 10 < signals.ready * 2) return -1;
  return 0;
}

}  // namespace

std::optional<ToyPolicy> toy_policy_of(std::string_view name) {
  for (const auto& [known, policy] : kNames) {
    if (known == name) return policy;
  }
  return std::nullopt;
}

std::string_view name_of(ToyPolicy policy) {
  return kNames[static_cast<std::size_t>(policy)].first;
}

std::int64_t wanted_change(ToyPolicy policy, const ToySignals& signals) {
  if (policy == ToyPolicy::DutyCycle) return duty_change(signals);
  if (signals.waiting == 0) return -1;
  if (policy == ToyPolicy::QueueDepth) {
    return signals.waiting > 5 ? std::max<std::int64_t>(1, signals.waiting / 5) : 0;
  }
  return signals.waiting > 3 ? std::max<std::int64_t>(2, signals.waiting / 3) : 0;
}

}  // namespace troupe::lessons
