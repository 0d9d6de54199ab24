// The component `engine` of a unit case: one vLLM engine whose steps all take the same time,
// stepped one by one, with requests that come and clients that hang up between two steps.
#pragma once

#include "emulator/config/problems.h"
#include "messages/conformance.pb.h"

namespace troupe::conformance {

void check_engine_input(const config::EngineUnitInput& input, config::Problems& problems);
/// Looks into the steps that `expected` speaks of.
[[nodiscard]] config::EngineUnitOutput run_engine(const config::EngineUnitInput& input,
                                                  const std::string& profile,
                                                  const config::EngineUnitOutput& expected);

}  // namespace troupe::conformance
