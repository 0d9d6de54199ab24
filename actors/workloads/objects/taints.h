// Taints as controllers set and clear them; who tolerates them stands in
// actors/scheduling/node_match.h.
#pragma once

#include <string>
#include <string_view>

#include "actors/scheduling/node_match.h"

namespace troupe {

using Taints = scheduling::TaintList;
using Tolerations = scheduling::TolerationList;
using scheduling::tolerates;

inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";

inline constexpr std::string_view kNotReadyTaint = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kUnreachableTaint = "node.kubernetes.io/unreachable";

[[nodiscard]] k8s::Taint make_taint(std::string_view key, std::string_view effect,
                                    std::string_view value = {});
/// Two taints are the same one if key and effect are equal; the value does not count.
[[nodiscard]] const k8s::Taint* find_taint(const Taints& taints, std::string_view key,
                                           std::string_view effect);
/// Adds the taint unless it is there; true if it was added.
bool add_taint(Taints& taints, const k8s::Taint& taint);
bool erase_taint(Taints& taints, std::string_view key, std::string_view effect);

/// "key=value:Effect"; without the value where there is none.
[[nodiscard]] std::string to_string(const k8s::Taint& taint);

}  // namespace troupe
