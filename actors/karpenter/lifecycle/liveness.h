// Claims that do not get on: not launched in five minutes, or not registered in fifteen, they are
// deleted, and their pods are provisioned for anew.
#pragma once

#include <optional>
#include <string_view>

#include "messages/karpenter.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// Karpenter v1, pkg/controllers/nodeclaim/lifecycle/liveness.go: LaunchTimeout, since 1.7.
inline constexpr Duration kLaunchTimeout = std::chrono::minutes(5);
/// The same file: registrationTimeout.
inline constexpr Duration kRegistrationTimeout = std::chrono::minutes(15);

struct Liveness {
  std::string_view
      delete_reason;  ///< "launch_timeout" or "registration_timeout"; empty: let it live
  std::optional<Duration> check_again;  ///< when the next limit comes
};

/// Both times count from the last change of the condition's status, which is the claim's creation.
/// `launch_limited`: Karpenter 1.7 and later.
[[nodiscard]] Liveness check_liveness(const NodeClaim& claim, bool launch_limited, SimTime now);

}  // namespace troupe::karpenter
