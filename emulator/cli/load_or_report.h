// Loading a scenario for a command: what is wrong with it goes to standard error.
#pragma once

#include <filesystem>
#include <optional>

#include "emulator/config/scenario_loader.h"

namespace troupe::cli {

/// The plan, or nothing after every diagnostic was printed. Warnings and notes are printed either
/// way.
[[nodiscard]] std::optional<plan::RunPlan> load_or_report(const std::filesystem::path& file,
                                                          const config::LoadOptions& options);

}  // namespace troupe::cli
