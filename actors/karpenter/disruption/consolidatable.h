// The claim's condition Consolidatable: its pool's consolidateAfter has passed since pods last came
// or went.
#pragma once

#include <optional>

#include "messages/k8s/pod.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// Sets or removes the condition. When to look again, if time alone will change it.
std::optional<Duration> update_consolidatable(NodeClaim& claim, const NodePool& pool, SimTime now);

/// Pod events are written down at most this often: Karpenter v1,
/// pkg/controllers/nodeclaim/podevents: dedupeTimeout.
inline constexpr Duration kPodEventDedupe = std::chrono::seconds(10);

/// Whether the change of a pod counts: bound, finished, or told to end. Pods of DaemonSets do not
/// count.
[[nodiscard]] bool is_pod_event(const k8s::Pod& before, const k8s::Pod& after);
/// Whether an event now is to be written down.
[[nodiscard]] bool is_event_due(const NodeClaim& claim, SimTime now);

}  // namespace troupe::karpenter
