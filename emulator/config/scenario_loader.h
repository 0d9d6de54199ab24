// From a scenario file to a run plan: parse, overlay, read, resolve. Every fault of every file on
// the way is a diagnostic with file, line and what was expected; nothing is run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "emulator/manifests/diagnostic.h"
#include "messages/plan.pb.h"

namespace troupe::config {

struct LoadOptions {
  std::string variant;            ///< empty: the scenario itself
  std::vector<std::string> sets;  ///< "path.to.key=value", applied last
  std::optional<std::uint64_t> seed;
  bool strict = false;  ///< warnings are errors
  bool live = false;    ///< for a live run: its workers can be befallen by faults
};

struct LoadedScenario {
  plan::RunPlan plan;  ///< worth something only without errors
  manifests::Diagnostics diagnostics;
  std::vector<std::string> notes;  ///< what a user should know: a trace's fallback, rows mended
  [[nodiscard]] bool ok() const { return !manifests::has_errors(diagnostics); }
};

[[nodiscard]] LoadedScenario load_scenario(const std::filesystem::path& file,
                                           const LoadOptions& options = {});
/// What is wrong with a topology file, whatever runs on it.
[[nodiscard]] manifests::Diagnostics check_topology(const std::filesystem::path& file);
/// The names of a scenario's variants, in the order of the file; empty where the file cannot be
/// read.
[[nodiscard]] std::vector<std::string> variant_names(const std::filesystem::path& file);

}  // namespace troupe::config
