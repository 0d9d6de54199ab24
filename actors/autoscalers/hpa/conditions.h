// The conditions of an HPA. The time of a condition moves only when its status turns.
#pragma once

#include <string>
#include <vector>

#include "messages/sim_time.h"

namespace troupe::hpa {

inline constexpr const char* kAbleToScale = "AbleToScale";
inline constexpr const char* kScalingActive = "ScalingActive";
inline constexpr const char* kScalingLimited = "ScalingLimited";

struct ConditionState {
  std::string type;
  bool status = false;
  std::string reason;
  std::string message;
  SimTime last_transition{};

  friend bool operator==(const ConditionState&, const ConditionState&) = default;
};

class Conditions {
 public:
  Conditions() = default;
  explicit Conditions(std::vector<ConditionState> states) : states_(std::move(states)) {}

  /// Adds or replaces the condition of `state.type`; `state.last_transition` is the time of the
  /// sync in hand.
  void set(ConditionState state);
  /// The condition of that type, or null.
  [[nodiscard]] const ConditionState* find(const std::string& type) const;
  [[nodiscard]] const std::vector<ConditionState>& all() const { return states_; }

 private:
  std::vector<ConditionState> states_;  // in the order in which they first appeared
};

}  // namespace troupe::hpa
