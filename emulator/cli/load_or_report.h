// Loading a scenario for a command: its options, and what is wrong with it on standard error.
#pragma once

#include <filesystem>
#include <optional>

#include <CLI/App.hpp>

#include "emulator/config/scenario_loader.h"

namespace troupe::cli {

/// Adds --seed, --set and --strict. `options` must outlive the command.
void add_load_options(CLI::App& command, config::LoadOptions& options);

/// The plan, or nothing after every diagnostic was printed. Warnings and notes are printed either
/// way.
[[nodiscard]] std::optional<plan::RunPlan> load_or_report(const std::filesystem::path& file,
                                                          const config::LoadOptions& options);

}  // namespace troupe::cli
