// `troupe compare SCENARIO`: its variants side by side, ranked, and why they differ.
#include <algorithm>
#include <atomic>
#include <future>
#include <iostream>
#include <memory>
#include <set>
#include <thread>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/load_or_report.h"
#include "emulator/cli/print_comparison.h"
#include "emulator/cli/print_summary.h"
#include "emulator/cli/progress.h"
#include "emulator/cli/replay_command.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/run_directory.h"

namespace troupe::cli {
namespace {

struct CompareArguments {
  std::string scenario;
  std::vector<std::string> variants;
  config::LoadOptions load;
  std::optional<std::string> out;
  bool json = false;
};

using Outcome = Result<ExecuteResult>;

// Runs the plans, as many at a time as there are cores. Each run is a runtime of its own on one
// thread, so a result does not depend on what runs beside it.
std::vector<Outcome> run_all(const std::vector<plan::RunPlan>& plans,
                             const std::vector<RunDirectory>& directories) {
  std::vector<std::optional<Outcome>> outcomes(plans.size());
  std::vector<SimTime> ends;
  ends.reserve(plans.size());
  for (const plan::RunPlan& plan : plans) ends.push_back(from_ns(plan.duration_ns()));
  const auto progress = progress_to(ends, plans.front().scenario());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < plans.size(); i = next++) {
      ExecuteOptions options;
      options.journal = directories[i].journal();
      options.log = directories[i].log();
      options.progress = progress[i];
      outcomes[i] = execute(plans[i], options);
    }
  };
  const std::size_t workers =
      std::min<std::size_t>(plans.size(), std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> running;
  for (std::size_t i = 0; i < workers; ++i) running.push_back(std::async(std::launch::async, work));
  for (auto& worker : running) worker.get();
  std::vector<Outcome> result;
  result.reserve(outcomes.size());
  for (auto& outcome : outcomes) result.push_back(std::move(*outcome));
  return result;
}

int report(const Error& error) {
  std::cerr << error.where << ": " << error.message << '\n';
  return kDefect;
}

// The command that makes the run of this plan again, alone.
std::string command_of(const CompareArguments& arguments, const plan::RunPlan& plan) {
  config::LoadOptions load = arguments.load;
  load.variant = plan.variant();
  return replay_command(arguments.scenario, load, plan.seed());
}

// Keeps what one run came to, whatever became of the others. The exit code of this run.
int keep(const CompareArguments& arguments, const plan::RunPlan& plan,
         const RunDirectory& directory, const Outcome& outcome) {
  if (!outcome) return report(outcome.error());
  const Result<void> written = directory.write_summary(outcome->summary);
  if (!written) report(written.error());
  for (const Error& error : outcome->unwritten) report(error);
  if (!outcome->defect) {
    if (!written || !outcome->unwritten.empty()) return kDefect;
    return outcome->held ? kHeld : kNotHeld;
  }
  print_defect(std::cerr, *outcome->defect, command_of(arguments, plan));
  return kDefect;
}

int conclude(const CompareArguments& arguments, const std::vector<plan::RunPlan>& plans,
             const std::vector<RunDirectory>& directories, const std::vector<Outcome>& outcomes) {
  int exit_code = kHeld;
  nlohmann::json summaries = nlohmann::json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    exit_code = std::max(exit_code, keep(arguments, plans[i], directories[i], outcomes[i]));
    if (outcomes[i]) summaries.push_back(outcomes[i]->summary);
  }
  if (summaries.size() < outcomes.size()) return exit_code;  // a ranking of some would mislead
  if (arguments.json) {
    std::cout << summaries.dump(2) << '\n';
  } else {
    print_comparison(std::cout, plans.front(), summaries);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      std::cout << "run folder " << directories[i].path().string()
                << "\nagain: " << command_of(arguments, plans[i]) << '\n';
    }
  }
  return exit_code;
}

int compare(const CompareArguments& arguments) {
  std::vector<std::string> names = arguments.variants;
  if (names.empty()) names = config::variant_names(arguments.scenario);
  if (names.empty()) names.emplace_back();  // the scenario alone: loading it says what is wrong
  if (const std::set<std::string> once(names.begin(), names.end()); once.size() < names.size()) {
    std::cerr << "--variants: expected each variant once\n";
    return kBadInput;
  }
  std::vector<plan::RunPlan> plans;
  for (const std::string& name : names) {
    config::LoadOptions load = arguments.load;
    load.variant = name;
    auto plan = load_or_report(arguments.scenario, load);
    if (!plan) return kBadInput;
    plans.push_back(*std::move(plan));
  }
  // Only then: a variant that cannot be run leaves no folders of the others.
  std::vector<RunDirectory> directories;
  for (const plan::RunPlan& plan : plans) {
    std::optional<std::filesystem::path> wanted;
    if (arguments.out) {
      wanted = std::filesystem::path(*arguments.out) /
               (plan.variant().empty() ? "base" : plan.variant());
    }
    Result<RunDirectory> directory = RunDirectory::create(plan, wanted);
    if (!directory) {
      report(directory.error());
      return kBadInput;
    }
    directories.push_back(*std::move(directory));
  }
  return conclude(arguments, plans, directories, run_all(plans, directories));
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "run the variants of a scenario side by side and rank them");
  command->add_option("SCENARIO", arguments->scenario, "the scenario file")->required();
  command->add_option("--variants", arguments->variants, "a,b: only these; all unless given")
      ->delimiter(',');
  add_load_options(*command, arguments->load);
  command->add_option("--out", arguments->out, "a folder for the run folders; else runs/");
  command->add_flag("--json", arguments->json, "print the summaries as a JSON list");
  command->callback([arguments, &exit_code] { exit_code = compare(*arguments); });
}

}  // namespace troupe::cli
