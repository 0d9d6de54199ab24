// Conditions: the one-line answers of an object's status, each with the time of its last change.
#pragma once

#include <string>
#include <string_view>

#include "messages/k8s/meta.pb.h"
#include "messages/sim_time.h"

namespace troupe {

using ConditionList = google::protobuf::RepeatedPtrField<k8s::Condition>;

/// What to set a condition to.
struct ConditionState {
  std::string_view type;
  std::string_view status;  ///< "True", "False" or "Unknown"
  std::string_view reason = {};
  std::string_view message = {};
};

/// The condition of that type, or null.
[[nodiscard]] const k8s::Condition* find_condition(const ConditionList& conditions,
                                                   std::string_view type);
/// True if the condition is there with status "True".
[[nodiscard]] bool is_true(const ConditionList& conditions, std::string_view type);
/// Sets or adds a condition; lastTransitionTime moves only where the status changes. True if
/// anything changed.
bool set_condition(ConditionList& conditions, const ConditionState& state, SimTime now);
/// Removes a condition; true if it was there.
bool remove_condition(ConditionList& conditions, std::string_view type);

}  // namespace troupe
