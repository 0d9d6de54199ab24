// RFC 3339 texts of moments in virtual time, whose zero is 2026-01-01T00:00:00Z: a fixed date, so
// that two runs write the same texts whenever they run.
#pragma once

#include <string>
#include <string_view>

#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe {

/// "2026-01-01T00:15:00.5Z"; an offset other than Z is converted. Earlier than time zero is
/// negative, as the ages of a cluster that was running before are; dates 292 years off are refused.
Result<SimTime> parse_timestamp(std::string_view text);
/// In UTC, with as many decimals as are needed, at most nine.
[[nodiscard]] std::string print_timestamp(SimTime time);

}  // namespace troupe
