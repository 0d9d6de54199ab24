// The control plane: API servers, controllers, schedulers, autoscalers, telemetry, each a host of
// its own.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// `apiserver/0`: first, since all others connect to it.
void plan_api_server(const Inputs& inputs, plan::RunPlan& plan);
void plan_controllers(const Inputs& inputs, plan::RunPlan& plan, Problems& problems);

}  // namespace troupe::config
