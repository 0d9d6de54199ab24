// The scenario with what was done by hand written into it: a run that ended well or badly under
// somebody's hands becomes a file that anybody can run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "emulator/config/scenario_loader.h"
#include "messages/journal.pb.h"
#include "messages/result.h"

namespace troupe::console {

/// The text for `target`: variant, --set and seed are written in, and names of files hold from
/// there.
[[nodiscard]] Result<std::string> scenario_with(const std::filesystem::path& scenario,
                                                const config::LoadOptions& load, std::uint64_t seed,
                                                const std::vector<journal::Command>& commands,
                                                const std::filesystem::path& target);

}  // namespace troupe::console
