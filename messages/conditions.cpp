#include "messages/conditions.h"

#include <algorithm>

namespace troupe {

const k8s::Condition* find_condition(const ConditionList& conditions, std::string_view type) {
  const auto at =
      std::find_if(conditions.begin(), conditions.end(),
                   [type](const k8s::Condition& condition) { return condition.type() == type; });
  return at != conditions.end() ? &*at : nullptr;
}

bool is_true(const ConditionList& conditions, std::string_view type) {
  const k8s::Condition* condition = find_condition(conditions, type);
  return condition != nullptr && condition->status() == "True";
}

bool set_condition(ConditionList& conditions, const ConditionState& state, SimTime now) {
  const auto at =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const k8s::Condition& condition) { return condition.type() == state.type; });
  const bool added = at == conditions.end();
  k8s::Condition& condition = added ? *conditions.Add() : *at;
  const bool same_status = !added && condition.status() == state.status;
  if (same_status && condition.reason() == state.reason && condition.message() == state.message)
    return false;
  condition.set_type(std::string(state.type));
  condition.set_status(std::string(state.status));
  condition.set_reason(std::string(state.reason));
  condition.set_message(std::string(state.message));
  if (!same_status) condition.set_last_transition_time(to_ns(now));
  return true;
}

bool remove_condition(ConditionList& conditions, std::string_view type) {
  const auto at =
      std::find_if(conditions.begin(), conditions.end(),
                   [type](const k8s::Condition& condition) { return condition.type() == type; });
  if (at == conditions.end()) return false;
  conditions.erase(at);
  return true;
}

}  // namespace troupe
