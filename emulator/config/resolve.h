// From what was read to what is run: one immutable plan.
#pragma once

#include "emulator/config/event_plan.h"
#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// The plan; worth something only if `problems` stays empty.
[[nodiscard]] plan::RunPlan resolve(const Inputs& inputs, const std::vector<StepObject>& steps,
                                    Problems& problems);

}  // namespace troupe::config
