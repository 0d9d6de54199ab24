#include "actors/karpenter/lifecycle/liveness.h"

#include "actors/karpenter/lifecycle/condition_types.h"

namespace troupe::karpenter {
namespace {

Duration age_of(const k8s::Condition* condition, SimTime now) {
  return condition == nullptr ? Duration::zero() : now - from_ns(condition->last_transition_time());
}

}  // namespace

Liveness check_liveness(const NodeClaim& claim, bool launch_limited, SimTime now) {
  if (condition_is(claim, kRegistered)) return {};
  const auto& conditions = claim.status().conditions();
  if (launch_limited && !condition_is(claim, kLaunched)) {
    const Duration left = kLaunchTimeout - age_of(find_condition(conditions, kLaunched), now);
    if (left > Duration::zero()) return {{}, left};
    return {"launch_timeout", std::nullopt};
  }
  const Duration left = kRegistrationTimeout - age_of(find_condition(conditions, kRegistered), now);
  if (left > Duration::zero()) return {{}, left};
  return {"registration_timeout", std::nullopt};
}

}  // namespace troupe::karpenter
