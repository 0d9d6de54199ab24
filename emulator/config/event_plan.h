// What happens to a run from outside: manifests and later changes of objects, and faults.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// Adds the director with every manifest and step. `steps` are the scenario's, their objects read.
struct StepObject {
  Payload object;  ///< empty for a delete
  std::vector<std::string> cleared;
};
void plan_objects(const Inputs& inputs, const std::vector<StepObject>& steps, plan::RunPlan& plan,
                  Problems& problems);
void plan_faults(const Scenario& scenario, plan::RunPlan& plan, Problems& problems);

}  // namespace troupe::config
