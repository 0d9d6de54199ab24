// The component `fair-share` of a unit case: how KAI divides a cluster's GPUs among its queues,
// before any job is placed.
#pragma once

#include "emulator/config/problems.h"
#include "messages/conformance.pb.h"

namespace troupe::conformance {

void check_fair_share_input(const config::FairShareUnitInput& input, config::Problems& problems);
[[nodiscard]] config::FairShareUnitOutput run_fair_share(const config::FairShareUnitInput& input,
                                                         const std::string& profile,
                                                         const config::FairShareUnitOutput&);

}  // namespace troupe::conformance
