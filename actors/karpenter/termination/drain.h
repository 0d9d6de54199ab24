// What a drain does next: which pods to evict, which to delete outright, and whether it is over.
//
// Four tiers, each gone before the next begins: ordinary pods, ordinary DaemonSet pods, critical
// pods, critical DaemonSet pods. Past the node's deadline the rules end: a pod is deleted early
// enough for its grace period, whatever tier, budget or annotation it has.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "messages/k8s/pod.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// The shortest drain, so that a pod which was bound just before the taint is seen and drained as
/// well. Karpenter v1, pkg/controllers/node/termination/controller.go: MinDrainTime.
inline constexpr Duration kMinDrainTime = std::chrono::seconds(5);

struct DrainStep {
  using Pods = std::vector<std::shared_ptr<const k8s::Pod>>;
  Pods evict;  ///< of the first tier that is not gone; may include pods that cannot be evicted
  Pods force;  ///< past their time
  std::size_t waiting = 0;
  [[nodiscard]] bool done() const { return waiting == 0; }
};

/// `deadline`: when the node ends, whatever is left; nothing: never.
[[nodiscard]] DrainStep next_drain_step(const DrainStep::Pods& pods,
                                        std::optional<SimTime> deadline, SimTime now);

/// The pod must be deleted now, or its grace period would outlast the node.
[[nodiscard]] bool needs_force(const k8s::Pod& pod, std::optional<SimTime> deadline, SimTime now);
/// The grace period of such a deletion: what is left of the node's time, at least 1 s.
[[nodiscard]] std::int64_t forced_grace_seconds(SimTime deadline, SimTime now);

/// The claim's deadline, from its annotation; nothing where there is none or it cannot be read.
[[nodiscard]] std::optional<SimTime> termination_deadline(const NodeClaim* claim);

}  // namespace troupe::karpenter
