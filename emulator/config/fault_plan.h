// The faults of a scenario: when each happens and to whom, so far as that can be known before the
// run. What can is an entry of the plan at its moment; what depends on the run is an order to the
// director; what befalls messages is a rule of the network.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// Needs a plan that has all its hosts. `first` is the number of the first fault: no two faults of
/// a run may have one.
void plan_faults(const Inputs& inputs, plan::RunPlan& plan, Problems& problems,
                 std::uint32_t first = 0);

}  // namespace troupe::config
