// `troupe compare SCENARIO`: its variants side by side, ranked, and why they differ.
#include <atomic>
#include <future>
#include <iostream>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/load_or_report.h"
#include "emulator/cli/print_comparison.h"
#include "emulator/cli/print_summary.h"
#include "emulator/cli/progress.h"
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
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < plans.size(); i = next++) {
      ExecuteOptions options;
      options.journal = directories[i].journal();
      options.log = directories[i].log();
      options.progress =
          progress_to(from_ns(plans[i].duration_ns()),
                      plans[i].variant().empty() ? plans[i].scenario() : plans[i].variant());
      outcomes[i] = execute(plans[i], options);
    }
  };
  const std::size_t workers =
      std::min<std::size_t>(plans.size(), std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> running;
  for (std::size_t i = 0; i < workers; ++i) running.push_back(std::async(std::launch::async, work));
  for (auto& worker : running) worker.get();
  std::vector<Outcome> result;
  for (auto& outcome : outcomes) result.push_back(std::move(*outcome));
  return result;
}

int conclude(const CompareArguments& arguments, const std::vector<plan::RunPlan>& plans,
             const std::vector<RunDirectory>& directories, const std::vector<Outcome>& outcomes) {
  int exit_code = kHeld;
  nlohmann::json summaries = nlohmann::json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i]) {
      std::cerr << outcomes[i].error().where << ": " << outcomes[i].error().message << '\n';
      return kDefect;
    }
    const ExecuteResult& result = *outcomes[i];
    if (const Result<void> written = directories[i].write_summary(result.summary); !written) {
      std::cerr << written.error().where << ": " << written.error().message << '\n';
      return kDefect;
    }
    if (result.defect) {
      std::cerr << "troupe: defect in variant " << plans[i].variant() << ": actor "
                << result.defect->actor << ", message " << result.defect->message << ": "
                << result.defect->what << '\n';
      exit_code = kDefect;
    } else if (!result.held && exit_code == kHeld) {
      exit_code = kNotHeld;
    }
    summaries.push_back(result.summary);
  }
  if (arguments.json) {
    std::cout << summaries.dump(2) << '\n';
  } else {
    print_comparison(std::cout, plans.front(), summaries);
    for (const RunDirectory& directory : directories) {
      std::cout << "run folder " << directory.path().string() << '\n';
    }
  }
  return exit_code;
}

int compare(const CompareArguments& arguments) {
  std::vector<std::string> names = arguments.variants;
  if (names.empty()) names = config::variant_names(arguments.scenario);
  if (names.empty()) names.emplace_back();  // the scenario alone: loading it says what is wrong
  std::vector<plan::RunPlan> plans;
  std::vector<RunDirectory> directories;
  for (const std::string& name : names) {
    config::LoadOptions load = arguments.load;
    load.variant = name;
    auto plan = load_or_report(arguments.scenario, load);
    if (!plan) return kBadInput;
    std::optional<std::filesystem::path> wanted;
    if (arguments.out)
      wanted = std::filesystem::path(*arguments.out) / (name.empty() ? "base" : name);
    Result<RunDirectory> directory = RunDirectory::create(*plan, wanted);
    if (!directory) {
      std::cerr << directory.error().where << ": " << directory.error().message << '\n';
      return kBadInput;
    }
    plans.push_back(*std::move(plan));
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
