// What happens to a run from outside: manifests and later changes of objects.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// Adds the director with every manifest and step.
void plan_objects(const Inputs& inputs, plan::RunPlan& plan, Problems& problems);

}  // namespace troupe::config
