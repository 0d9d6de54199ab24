// What a token costs at best: the yardstick of the score.
//
// For each service: the GPU-seconds of a prompt token and of an output token on its (model, GPU,
// tensor parallel size) at the traffic's mean lengths and the largest batch whose modelled TTFT and
// ITL meet the SLO. Fixed when a scenario is resolved, so no run can move its own goal.
#pragma once

#include "emulator/config/inputs.h"
#include "messages/plan.pb.h"

namespace troupe::config {

void plan_score(const Inputs& inputs, plan::RunPlan& plan);

}  // namespace troupe::config
