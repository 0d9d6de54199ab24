// Machines: the nodes that are there at time 0, and the cloud with what it can add.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "emulator/config/serving_plan.h"
#include "messages/plan.pb.h"

namespace troupe::config {

void plan_nodes(const Inputs& inputs, const WorkloadPlan& workloads, plan::RunPlan& plan,
                Problems& problems);
/// Adds `cloud/0` where the topology has a cloud.
void plan_cloud(const Inputs& inputs, const WorkloadPlan& workloads, plan::RunPlan& plan,
                Problems& problems);

}  // namespace troupe::config
