// What the schema cannot say of a case's `given`, `mode`, `expect` and `max`.
#pragma once

#include "emulator/config/problems.h"
#include "messages/conformance.pb.h"

namespace troupe::conformance {

void check_sync_case(const config::ConformanceCase& spec, config::Problems& problems);

}  // namespace troupe::conformance
