#include "emulator/cli/load_or_report.h"

#include <charconv>
#include <iostream>

#include <CLI/CLI.hpp>

#include "emulator/manifests/text_check.h"

namespace troupe::cli {
namespace {

/// Empty, or what is wrong with the text of a seed. CLI11's own conversion lets one that is too
/// large or negative wrap round.
std::string problem_of_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return "expected a whole number from 0 to 18446744073709551615, found \"" + text + "\"";
}

}  // namespace

void add_load_options(CLI::App& command, config::LoadOptions& options) {
  command.add_option("--seed", options.seed, "overrides the scenario's seed")
      ->check(CLI::Validator(problem_of_seed, "NUMBER"));
  command.add_option("--set", options.sets, "PATH=VALUE: overrides a value of the scenario")
      ->allow_extra_args(false);
  command.add_flag("--strict", options.strict, "warnings are errors");
}

std::optional<plan::RunPlan> load_or_report(const std::filesystem::path& file,
                                            const config::LoadOptions& options) {
  // The scenario goes by the file's name, in the journal and in JSON.
  if (manifests::check_text(file.stem().string())) {
    std::cerr << file.string() << ": error: expected a file name in UTF-8\n";
    return std::nullopt;
  }
  config::LoadedScenario loaded = config::load_scenario(file, options);
  for (const std::string& note : loaded.notes) std::cerr << "note: " << note << '\n';
  for (const auto& diagnostic : loaded.diagnostics) {
    std::cerr << manifests::to_string(diagnostic) << '\n';
  }
  if (!loaded.ok()) return std::nullopt;
  return std::move(loaded.plan);
}

}  // namespace troupe::cli
