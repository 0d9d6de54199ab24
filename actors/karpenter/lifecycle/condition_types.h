// The conditions of a NodeClaim, by the names that Karpenter v1 gives them.
#pragma once

#include <string_view>

#include "messages/conditions.h"
#include "messages/karpenter.pb.h"

namespace troupe::karpenter {

inline constexpr std::string_view kLaunched = "Launched";
inline constexpr std::string_view kRegistered = "Registered";
inline constexpr std::string_view kInitialized = "Initialized";
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kConsolidatable = "Consolidatable";
inline constexpr std::string_view kDisruptionReason = "DisruptionReason";
inline constexpr std::string_view kDrained = "Drained";
inline constexpr std::string_view kVolumesDetached = "VolumesDetached";
inline constexpr std::string_view kInstanceTerminating = "InstanceTerminating";
/// Of a NodePool.
inline constexpr std::string_view kNodeRegistrationHealthy = "NodeRegistrationHealthy";

/// A condition that nobody has set yet.
inline constexpr std::string_view kAwaitingReconciliation = "AwaitingReconciliation";

[[nodiscard]] inline bool condition_is(const NodeClaim& claim, std::string_view type) {
  return is_true(claim.status().conditions(), type);
}

/// True while neither True nor False: the step that sets it has still to happen.
[[nodiscard]] inline bool is_undecided(const NodeClaim& claim, std::string_view type) {
  const k8s::Condition* condition = find_condition(claim.status().conditions(), type);
  return condition == nullptr || condition->status() == "Unknown";
}

/// Gives a claim that has none its three root conditions; their ages count from `since`, which is
/// its creation.
inline void begin_conditions(NodeClaim& claim, SimTime since) {
  for (const std::string_view type : {kLaunched, kRegistered, kInitialized}) {
    if (find_condition(claim.status().conditions(), type) != nullptr) continue;
    set_condition(*claim.mutable_status()->mutable_conditions(),
                  {type, "Unknown", kAwaitingReconciliation, "object is awaiting reconciliation"},
                  since);
  }
}

inline bool set_true(NodeClaim& claim, std::string_view type, SimTime now,
                     std::string_view reason = {}) {
  return set_condition(*claim.mutable_status()->mutable_conditions(),
                       {type, "True", reason.empty() ? type : reason, reason}, now);
}

inline bool set_unknown(NodeClaim& claim, std::string_view type, std::string_view reason,
                        std::string_view message, SimTime now) {
  return set_condition(*claim.mutable_status()->mutable_conditions(),
                       {type, "Unknown", reason, message}, now);
}

}  // namespace troupe::karpenter
