// How many pods the controller of a pod is to have, as the disruption controller finds it out.
//
// A ReplicaSet of a Deployment stands for the Deployment. The groups of a LeaderWorkerSet count as
// its real StatefulSets would: one of the leaders, and one of the workers of each leader. What has
// no subresource `scale`, as a Job, has no answer, and so its pods no percentage.
#pragma once

#include "actors/workloads/core/shared_informers.h"
#include "actors/workloads/disruption/budget.h"

namespace troupe::workloads {

[[nodiscard]] Result<ControllerScale> scale_of_controller(const k8s::Pod& pod,
                                                          const SharedInformers& informers);

}  // namespace troupe::workloads
