// The command that makes a run again, to the same digest.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/config/scenario_loader.h"

namespace troupe::cli {

/// `scenario` as the user named it, with `load` as it was given and the seed that was used: what a
/// shell takes as it stands.
[[nodiscard]] std::string replay_command(const std::string& scenario,
                                         const config::LoadOptions& load, std::uint64_t seed);

}  // namespace troupe::cli
