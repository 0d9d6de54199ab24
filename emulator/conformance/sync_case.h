// A sync case: a controller's rounds, held against what the case expects of its jobs and allows of
// calls.
#pragma once

#include "emulator/conformance/difference.h"
#include "messages/conformance.pb.h"

namespace troupe::conformance {

/// What comes out otherwise than the case says.
[[nodiscard]] Differences run_sync_case(const config::ConformanceCase& spec);

}  // namespace troupe::conformance
