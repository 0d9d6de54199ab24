// The three scaling policies of the toy, with its own thresholds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::lessons {

enum class ToyPolicy : std::uint8_t {
  DutyCycle,   ///< above 70 % busy: one more; below 20 %: one less
  QueueDepth,  ///< more than 5 waiting: a fifth of them more; none: one less
  KaiGang,  ///< more than 3 waiting: a third of them, at least two, more; none: one less. There is
            ///< no gang in it.
};

[[nodiscard]] std::optional<ToyPolicy> toy_policy_of(std::string_view name);
[[nodiscard]] std::string_view name_of(ToyPolicy policy);

/// What the policy sees.
struct ToySignals {
  std::int64_t ready = 0;    ///< replicas that are not booting
  std::int64_t busy = 0;     ///< of those
  std::int64_t waiting = 0;  ///< requests in the queue
};

/// By how much the policy wants to change the target, before its limits.
[[nodiscard]] std::int64_t wanted_change(ToyPolicy policy, const ToySignals& signals);

}  // namespace troupe::lessons
