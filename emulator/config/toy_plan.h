// A scenario that runs a lesson's own simulator instead of a cluster.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

void plan_toy(const Inputs& inputs, plan::RunPlan& plan, Problems& problems);

}  // namespace troupe::config
