// How far a run is: a bar on a terminal, a plain line every tenth of the way elsewhere.
#pragma once

#include <functional>
#include <string>

#include "messages/sim_time.h"

namespace troupe::cli {

/// A callback for ExecuteOptions::progress that writes to standard error. `title` names the run.
[[nodiscard]] std::function<void(SimTime)> progress_to(SimTime end, const std::string& title);

}  // namespace troupe::cli
