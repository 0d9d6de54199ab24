// Whom the system's default spread constraints count for a pod: the pods of its Services and of its
// controller.
//
// Kubernetes, pkg/scheduler/framework/plugins/helper/spread.go: the selectors of all Services that
// select the pod and of the ReplicaSet or StatefulSet that controls it, together.
#pragma once

#include <optional>

#include "messages/k8s/apps.pb.h"
#include "messages/k8s/core.pb.h"

namespace troupe::kube_scheduler {

/// Adds what a Service selects by, if it selects the pod.
void add_service(const k8s::Service& service, const k8s::Pod& pod, k8s::LabelSelector& selector);

/// Adds the selector of the pod's controller.
void add_controller(const k8s::LabelSelector& of_controller, k8s::LabelSelector& selector);

/// The reference to the pod's controller, or null.
[[nodiscard]] const k8s::OwnerReference* controller_of(const k8s::ObjectMeta& meta);

/// Nothing, if the selector is still empty: the pod belongs to nothing that could be spread.
[[nodiscard]] std::optional<k8s::LabelSelector> usable(k8s::LabelSelector selector);

}  // namespace troupe::kube_scheduler
