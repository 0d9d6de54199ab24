// What a scenario's traffic, faults and steps speak of must be there, and before the run is over: a
// fault that hits nothing, or load for a service that nobody makes, is a slip and no scenario.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// `plan` has all its hosts already. A node that a cloud may launch later cannot be checked by
/// name.
void check_references(const Inputs& inputs, const plan::RunPlan& plan, Problems& problems);

}  // namespace troupe::config
