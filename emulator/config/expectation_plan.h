// Expectations: checked for sense before the run, evaluated by emulator/checks.
#pragma once

#include "emulator/config/problems.h"
#include "messages/plan.pb.h"
#include "messages/scenario.pb.h"

namespace troupe::config {

void plan_expectations(const Scenario& scenario, plan::RunPlan& plan, Problems& problems);

}  // namespace troupe::config
