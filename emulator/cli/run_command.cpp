// `troupe run SCENARIO`: one run, its summary, its folder. `troupe run CASES`: pass or what
// differs.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/join_options.h"
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
  ListenArguments listen;
};

// A case is a case whatever it is run with: an option of scenarios would be ignored.
int run_as_cases(const RunArguments& arguments) {
  const config::LoadOptions& load = arguments.load;
  if (load.seed || !load.variant.empty() || !load.sets.empty() || arguments.out ||
      arguments.processes != 1 || arguments.listen.any()) {
    std::cerr
        << arguments.scenario
        << ": error: --seed, --variant, --set, --out, --processes, --listen, --keys and --spawn "
           "are options of a scenario, found conformance cases\n";
    return kBadInput;
  }
  return run_cases(arguments.scenario, arguments.json);
}

int run(const RunArguments& arguments) {
  if (holds_cases(arguments.scenario)) return run_as_cases(arguments);
  const Result<CrewOptions> crew = crew_of(arguments.listen, arguments.processes);
  if (!crew) return report_bad_input(crew.error());
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
  options.stop = &stop_on_signals();
  options.crew = *crew;
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
  const std::string replay = replay_command(arguments.scenario, arguments.load, plan->seed());
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
  if (result->defect || !result->unwritten.empty()) return kDefect;
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
  add_listen_options(*command, arguments->listen);
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace troupe::cli
