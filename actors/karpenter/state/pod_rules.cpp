#include "actors/karpenter/state/pod_rules.h"

#include "actors/karpenter/scheduling/labels.h"
#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"
#include "actors/workloads/objects/taints.h"
#include "messages/labels.h"
#include "messages/units.h"

namespace troupe::karpenter {
namespace {

/// A pod that should have died so long ago is given up. Karpenter v1, pkg/utils/pod/scheduling.go:
/// IsStuckTerminating.
constexpr Duration kStuckAfter = std::chrono::minutes(1);

bool is_static(const k8s::Pod& pod) {
  return is_owned_by_kind(pod.metadata(), "Node");
}

bool tolerates_disruption(const k8s::Pod& pod) {
  return tolerates(pod.spec().tolerations(), make_taint(kDisruptedTaint, kNoSchedule));
}

bool is_stuck(const k8s::Pod& pod, SimTime now) {
  return is_terminating(pod) && now - from_ns(pod.metadata().deletion_timestamp()) > kStuckAfter;
}

}  // namespace

bool is_daemon(const k8s::Pod& pod) {
  return is_owned_by_kind(pod.metadata(), "DaemonSet");
}

bool is_critical(const k8s::Pod& pod) {
  const std::string& priority = pod.spec().priority_class_name();
  return priority == "system-cluster-critical" || priority == "system-node-critical";
}

bool is_provisionable(const k8s::Pod& pod) {
  return is_unschedulable(pod) && !is_bound(pod) && pod.status().nominated_node_name().empty() &&
         !is_daemon(pod) && !is_static(pod);
}

bool is_reschedulable(const k8s::Pod& pod) {
  const bool waits_for_identity =
      is_terminating(pod) && is_owned_by_kind(pod.metadata(), "StatefulSet");
  return (is_active(pod) || waits_for_identity) && !is_daemon(pod) && !is_static(pod);
}

bool is_evictable(const k8s::Pod& pod, SimTime now) {
  return is_active(pod) && !tolerates_disruption(pod) && !is_static(pod) && !is_protected(pod, now);
}

bool is_waited_for(const k8s::Pod& pod, SimTime now) {
  return !is_terminal(pod) && !tolerates_disruption(pod) && !is_stuck(pod, now) && !is_static(pod);
}

bool is_protected(const k8s::Pod& pod, SimTime now) {
  const std::string* value = find_label(pod.metadata().annotations(), kDoNotDisruptAnnotation);
  if (value == nullptr) return false;
  if (*value == "true") return true;
  const Result<Duration> length = parse_duration(*value);
  if (!length || *length <= Duration::zero()) return false;
  if (!pod.status().has_start_time()) return true;
  return now - from_ns(pod.status().start_time()) < *length;
}

}  // namespace troupe::karpenter
