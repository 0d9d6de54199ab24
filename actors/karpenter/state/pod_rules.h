// Which pods Karpenter acts on, and how: Karpenter v1, pkg/utils/pod/scheduling.go.
#pragma once

#include "messages/k8s/pod.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// A pod that a scheduler refused (PodScheduled is False for Unschedulable), which waits for no
/// preemption of its own and belongs to no DaemonSet or node: new capacity can help it. Who the
/// scheduler is does not matter, only what it wrote.
[[nodiscard]] bool is_provisionable(const k8s::Pod& pod);
/// A pod that will need a place elsewhere if its node goes. One of a StatefulSet counts until it is
/// gone.
[[nodiscard]] bool is_reschedulable(const k8s::Pod& pod);
/// A pod that a drain evicts.
[[nodiscard]] bool is_evictable(const k8s::Pod& pod, SimTime now);
/// A pod that a drain waits for, whether or not it may evict it.
[[nodiscard]] bool is_waited_for(const k8s::Pod& pod, SimTime now);
/// The annotation karpenter.sh/do-not-disrupt is "true", or a duration that the pod has not run for
/// yet. Any other value counts as absent.
[[nodiscard]] bool is_protected(const k8s::Pod& pod, SimTime now);
[[nodiscard]] bool is_daemon(const k8s::Pod& pod);
/// system-cluster-critical or system-node-critical: drained last.
[[nodiscard]] bool is_critical(const k8s::Pod& pod);

}  // namespace troupe::karpenter
