// Runs a case: what comes out otherwise than it says.
#pragma once

#include "emulator/conformance/case.h"
#include "emulator/conformance/difference.h"

namespace troupe::conformance {

/// Empty: the case passes.
[[nodiscard]] Differences run_case(const Case& one);

}  // namespace troupe::conformance
