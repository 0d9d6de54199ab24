// The states of a task by the names that a case and KAI give them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "actors/kai/task.h"
#include "messages/assert.h"

namespace troupe::conformance {

inline constexpr std::array<std::pair<std::string_view, kai::TaskStatus>, kai::kStatusCount>
    kTaskStates = {{{"Pending", kai::TaskStatus::Pending},
                    {"Gated", kai::TaskStatus::Gated},
                    {"Allocated", kai::TaskStatus::Allocated},
                    {"Pipelined", kai::TaskStatus::Pipelined},
                    {"Binding", kai::TaskStatus::Binding},
                    {"Bound", kai::TaskStatus::Bound},
                    {"Running", kai::TaskStatus::Running},
                    {"Releasing", kai::TaskStatus::Releasing},
                    {"Succeeded", kai::TaskStatus::Succeeded},
                    {"Failed", kai::TaskStatus::Failed},
                    {"Unknown", kai::TaskStatus::Unknown}}};

[[nodiscard]] inline std::string name_of(kai::TaskStatus status) {
  for (const auto& [name, value] : kTaskStates) {
    if (value == status) return std::string(name);
  }
  return {};
}

/// The schema knows no other names.
[[nodiscard]] inline kai::TaskStatus status_named(std::string_view wanted) {
  for (const auto& [name, value] : kTaskStates) {
    if (name == wanted) return value;
  }
  TROUPE_ASSERT(false, "a state that the schema does not have");
  return kai::TaskStatus::Unknown;
}

}  // namespace troupe::conformance
