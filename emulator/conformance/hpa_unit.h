// The component `hpa` of a unit case: syncs of one HorizontalPodAutoscaler on a target that follows
// every rescale at once, with pods and samples as the case gives them. No API server, no cache, no
// delay.
#pragma once

#include <vector>

#include "emulator/config/problems.h"
#include "messages/conformance.pb.h"
#include "messages/sim_time.h"

namespace troupe::conformance {

void check_hpa_input(const config::HpaUnitInput& input, config::Problems& problems);
[[nodiscard]] config::HpaUnitOutput run_hpa(const config::HpaUnitInput& input,
                                            const std::string& profile,
                                            const config::HpaUnitOutput&);

/// --horizontal-pod-autoscaler-sync-period
[[nodiscard]] Duration hpa_sync_period(const config::HpaUnitInput& input);
/// When each entry of `syncs` begins: at the time that it names, or a period after the last one.
[[nodiscard]] std::vector<SimTime> hpa_sync_times(const config::HpaUnitInput& input);

}  // namespace troupe::conformance
