// From what was read to what is run: one immutable plan.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

/// The plan; worth something only if `problems` stays empty.
[[nodiscard]] plan::RunPlan resolve(const Inputs& inputs, Problems& problems);

}  // namespace troupe::config
