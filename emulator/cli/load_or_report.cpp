#include "emulator/cli/load_or_report.h"

#include <iostream>

namespace troupe::cli {

std::optional<plan::RunPlan> load_or_report(const std::filesystem::path& file,
                                            const config::LoadOptions& options) {
  config::LoadedScenario loaded = config::load_scenario(file, options);
  for (const std::string& note : loaded.notes) std::cerr << "note: " << note << '\n';
  for (const auto& diagnostic : loaded.diagnostics) {
    std::cerr << manifests::to_string(diagnostic) << '\n';
  }
  if (!loaded.ok()) return std::nullopt;
  return std::move(loaded.plan);
}

}  // namespace troupe::cli
