// What the StatefulSet controller does: pods by ordinal, one after the other or all at once.
// kubernetes/kubernetes, pkg/controller/statefulset/stateful_set_control.go. Volume claims are not
// made, and a pod does not wait for one.
#pragma once

#include "actors/workloads/core/named_pods.h"
#include "messages/k8s/apps.pb.h"

namespace troupe::workloads {

[[nodiscard]] NamedPodsPlan<k8s::StatefulSet> plan_stateful_set(const k8s::StatefulSet& set,
                                                                const OwnedPods& pods, SimTime now);

}  // namespace troupe::workloads
