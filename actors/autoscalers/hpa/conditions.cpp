#include "actors/autoscalers/hpa/conditions.h"

#include <algorithm>

namespace troupe::hpa {

void Conditions::set(ConditionState state) {
  const auto known = std::find_if(states_.begin(), states_.end(), [&](const ConditionState& old) {
    return old.type == state.type;
  });
  if (known == states_.end()) {
    states_.push_back(std::move(state));
    return;
  }
  if (known->status == state.status) state.last_transition = known->last_transition;
  *known = std::move(state);
}

const ConditionState* Conditions::find(const std::string& type) const {
  const auto known = std::find_if(states_.begin(), states_.end(),
                                  [&](const ConditionState& old) { return old.type == type; });
  return known == states_.end() ? nullptr : &*known;
}

}  // namespace troupe::hpa
