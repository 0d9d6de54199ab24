// What KubeRay does about a RayCluster: a head, and groups of workers that it keeps at their
// number. ray-project/kuberay, controllers/ray/raycluster_controller.go.
#pragma once

#include "actors/workloads/core/named_pods.h"
#include "messages/ray.pb.h"

namespace troupe::workloads {

[[nodiscard]] NamedPodsPlan<ray::RayCluster> plan_ray_cluster(const ray::RayCluster& cluster,
                                                              const OwnedPods& pods, SimTime now);

}  // namespace troupe::workloads
