#include "actors/karpenter/disruption/consolidatable.h"

#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/state/pod_rules.h"
#include "actors/workloads/objects/pods.h"
#include "messages/units.h"

namespace troupe::karpenter {
namespace {

/// spec.disruption.consolidateAfter: 0s by default, nothing for "Never".
std::optional<Duration> consolidate_after(const NodePool& pool) {
  const Disruption& disruption = pool.spec().disruption();
  if (!disruption.has_consolidate_after()) return Duration::zero();
  if (disruption.consolidate_after() == "Never") return std::nullopt;
  return parse_duration(disruption.consolidate_after()).value_or(Duration::zero());
}

}  // namespace

std::optional<Duration> update_consolidatable(NodeClaim& claim, const NodePool& pool, SimTime now) {
  auto& conditions = *claim.mutable_status()->mutable_conditions();
  const std::optional<Duration> quiet = consolidate_after(pool);
  const k8s::Condition* initialized = find_condition(conditions, kInitialized);
  if (!quiet || !condition_is(claim, kInitialized)) {
    remove_condition(conditions, kConsolidatable);
    return std::nullopt;
  }
  const SimTime since = claim.status().has_last_pod_event_time()
                            ? from_ns(claim.status().last_pod_event_time())
                            : from_ns(initialized->last_transition_time());
  if (now < since + *quiet) {
    remove_condition(conditions, kConsolidatable);
    return since + *quiet - now;
  }
  set_true(claim, kConsolidatable, now);
  return std::nullopt;
}

bool is_pod_event(const k8s::Pod& before, const k8s::Pod& after) {
  if (!is_bound(after) || is_daemon(after)) return false;
  return !is_bound(before) || (!is_terminal(before) && is_terminal(after)) ||
         (!is_terminating(before) && is_terminating(after));
}

bool is_event_due(const NodeClaim& claim, SimTime now) {
  return !claim.status().has_last_pod_event_time() ||
         now - from_ns(claim.status().last_pod_event_time()) >= kPodEventDedupe;
}

}  // namespace troupe::karpenter
