// What the training operator does about a PyTorchJob: a master and workers by index, which end as
// one job. kubeflow/training-operator, pkg/controller.v1.
#pragma once

#include "actors/workloads/core/named_pods.h"
#include "messages/kubeflow.pb.h"

namespace troupe::workloads {

[[nodiscard]] NamedPodsPlan<kubeflow::PyTorchJob> plan_pytorch_job(const kubeflow::PyTorchJob& job,
                                                                   const OwnedPods& pods,
                                                                   SimTime now);

}  // namespace troupe::workloads
