// `troupe run SCENARIO`: one run, its summary, its folder. `troupe run CASES`: pass or what
// differs.
#include <cmath>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/load_or_report.h"
#include "emulator/cli/print_summary.h"
#include "emulator/cli/progress.h"
#include "emulator/cli/replay_command.h"
#include "emulator/cli/run_cases.h"
#include "emulator/processes/end_signal.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/run_directory.h"

namespace troupe::cli {
namespace {

struct RunArguments {
  std::string scenario;
  config::LoadOptions load;
  std::optional<std::string> out;
  bool json = false;
  bool log_facts = false;
  std::uint32_t processes = 1;
  std::optional<std::string> listen;
  bool live = false;
  std::string speed = "1";
};

// A case is a case whatever it is run with: an option of scenarios would be ignored.
int run_as_cases(const RunArguments& arguments) {
  const config::LoadOptions& load = arguments.load;
  if (load.seed || !load.variant.empty() || !load.sets.empty() || arguments.out ||
      arguments.processes != 1 || arguments.listen || arguments.live) {
    std::cerr << arguments.scenario
              << ": error: --seed, --variant, --set, --out, --processes, --listen and "
                 "--live are options of "
                 "a scenario, found conformance cases\n";
    return kBadInput;
  }
  return run_cases(arguments.scenario, arguments.json);
}

// Millionths of a virtual second in a second; nothing for "max".
std::optional<std::int64_t> speed_of(const std::string& text) {
  if (text == "max") return std::nullopt;
  return std::llround(std::stod(text) * 1e6);
}

// What CLI11 says of a --speed that is none; empty if it is one.
std::string check_speed(const std::string& text) {
  constexpr double kSpeedMin = 0.001;
  constexpr double kSpeedMax = 100'000;
  if (text == "max") return {};
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == text.size() && value >= kSpeedMin && value <= kSpeedMax) return {};
  return "expected `max` or a number from 0.001 to 100000, found '" + text + "'";
}

int run(const RunArguments& arguments) {
  if (holds_cases(arguments.scenario)) return run_as_cases(arguments);
  const auto plan = load_or_report(arguments.scenario, arguments.load);
  if (!plan) return kBadInput;
  std::optional<std::filesystem::path> wanted;
  if (arguments.out) wanted = *arguments.out;
  const Result<RunDirectory> directory = RunDirectory::create(*plan, wanted);
  if (!directory) {
    std::cerr << directory.error().where << ": " << directory.error().message << '\n';
    return kBadInput;
  }
  ExecuteOptions options;
  options.journal = directory->journal();
  options.log = directory->log();
  options.log_level = arguments.log_facts ? LogLevel::Debug : LogLevel::Info;
  options.processes = arguments.processes;
  options.live = arguments.live;
  options.speed_ppm = speed_of(arguments.speed);
  options.stop = &stop_on_signals();
  options.crew.listen = arguments.listen.value_or("");
  options.crew.spawned = arguments.listen ? 0 : arguments.processes;
  options.crew.tell = [](const std::string& line) { std::cerr << "troupe: " << line << '\n'; };
  options.progress = progress_to({from_ns(plan->duration_ns())}, plan->scenario()).front();
  Result<ExecuteResult> result = execute(*plan, options);
  if (!result) {
    std::cerr << (result.error().where.empty() ? "troupe" : result.error().where) << ": "
              << result.error().message << '\n';
    return kDefect;
  }
  // What could not be kept is shown all the same.
  if (const Result<void> written = directory->write_summary(result->summary); !written) {
    result->unwritten.push_back(written.error());
  }
  const std::string replay = arguments.live
                                 ? "troupe replay " + directory->path().string()
                                 : replay_command(arguments.scenario, arguments.load, plan->seed());
  if (arguments.json) {
    std::cout << result->summary.dump(2) << '\n';
  } else {
    print_summary(std::cout, result->summary);
    print_score_rates(std::cout, *plan);
    std::cout << "seed " << plan->seed() << ", digest "
              << result->summary["digest"].get<std::string>() << "\nrun folder "
              << directory->path().string() << "\nagain: " << replay << '\n';
  }
  if (result->defect) print_defect(std::cerr, *result->defect, replay);
  for (const Error& error : result->unwritten) {
    std::cerr << error.where << ": " << error.message << '\n';
  }
  if (result->defect || result->summary["defects"] != 0 || !result->unwritten.empty()) {
    return kDefect;
  }
  if (result->summary["interrupted"].get<bool>()) return kInterrupted;
  return result->held ? kHeld : kNotHeld;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand(
      "run", "run a scenario in virtual time, or conformance cases: a file or a folder of them");
  command->add_option("SCENARIO", arguments->scenario, "the scenario, the cases or their folder")
      ->required();
  add_load_options(*command, arguments->load);
  command->add_option("--variant", arguments->load.variant, "one of the scenario's variants");
  command->add_option("--out", arguments->out, "the run folder; else one below runs/");
  command->add_flag("--json", arguments->json, "print summary.json instead of the summary");
  command->add_flag("--log-facts", arguments->log_facts,
                    "write every fact into the folder's run.log, not only the turns of the run");
  command
      ->add_option("--processes", arguments->processes,
                   "spread the hosts over so many worker processes; the digest stays the same")
      ->check(CLI::Range(1, 256));
  command->add_option("--listen", arguments->listen,
                      "start no worker: wait at this endpoint until all have dialled in with "
                      "`troupe worker --join`");
  command->add_flag("--live", arguments->live,
                    "against the wall clock, by worker processes; every inbox is journaled");
  command
      ->add_option("--speed", arguments->speed,
                   "with --live: virtual seconds that pass in a second, or max")
      ->check(check_speed)
      ->needs("--live");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace troupe::cli
