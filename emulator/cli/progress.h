// How far a run is, or several that go on side by side: a bar on a terminal, a plain line every
// tenth of the way elsewhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "messages/sim_time.h"

namespace troupe::cli {

/// A callback for each run's ExecuteOptions::progress; they may be called from different threads,
/// and write one bar to standard error. `ends` are above zero and at most 2.9 years, `title` names
/// the whole.
[[nodiscard]] std::vector<std::function<void(SimTime)>> progress_to(
    const std::vector<SimTime>& ends, const std::string& title);

}  // namespace troupe::cli
