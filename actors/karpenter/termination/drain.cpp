#include "actors/karpenter/termination/drain.h"

#include <algorithm>
#include <array>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/state/pod_rules.h"
#include "actors/workloads/objects/pods.h"
#include "messages/labels.h"
#include "messages/timestamp.h"

namespace troupe::karpenter {
namespace {

constexpr std::size_t kTiers = 4;

std::size_t tier_of(const k8s::Pod& pod) {
  return (is_critical(pod) ? 2U : 0U) + (is_daemon(pod) ? 1U : 0U);
}

}  // namespace

bool needs_force(const k8s::Pod& pod, std::optional<SimTime> deadline, SimTime now) {
  if (!deadline) return false;
  if (is_terminating(pod)) return from_ns(pod.metadata().deletion_timestamp()) > *deadline;
  if (!pod.spec().has_termination_grace_period_seconds()) return false;
  return now > *deadline - std::chrono::seconds(pod.spec().termination_grace_period_seconds());
}

std::int64_t forced_grace_seconds(SimTime deadline, SimTime now) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(deadline - now).count();
  return std::max<std::int64_t>(left, 1);
}

DrainStep next_drain_step(const DrainStep::Pods& pods, std::optional<SimTime> deadline,
                          SimTime now) {
  DrainStep step;
  std::array<DrainStep::Pods, kTiers> tiers;
  for (const auto& pod : pods) {
    if (!is_waited_for(*pod, now)) continue;
    ++step.waiting;
    if (needs_force(*pod, deadline, now)) {
      step.force.push_back(pod);
    } else {
      tiers[tier_of(*pod)].push_back(pod);
    }
  }
  const auto first = std::ranges::find_if(tiers, [](const auto& tier) { return !tier.empty(); });
  if (first != tiers.end()) step.evict = std::move(*first);
  return step;
}

std::optional<SimTime> termination_deadline(const NodeClaim* claim) {
  if (claim == nullptr) return std::nullopt;
  const std::string* text =
      find_label(claim->metadata().annotations(), kTerminationTimestampAnnotation);
  if (text == nullptr) return std::nullopt;
  const Result<SimTime> deadline = parse_timestamp(*text);
  return deadline ? std::optional(*deadline) : std::nullopt;
}

}  // namespace troupe::karpenter
