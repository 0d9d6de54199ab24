// `troupe run SCENARIO`: one run, its summary, its folder. `troupe run CASES`: pass or what
// differs.
#include <cmath>
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
#include "emulator/console/console_steering.h"
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
  bool live = false;
  bool pause = false;
  std::optional<std::string> speed;
};

constexpr double kSpeedMin = 0.001;
constexpr double kSpeedMax = 100'000;

/// Virtual seconds a wall second; none: as fast as it goes, or of a live run stays in time.
std::optional<double> speed_of(const RunArguments& arguments) {
  const std::string text = arguments.speed.value_or(arguments.live ? "1" : "max");
  if (text == "max") return std::nullopt;
  return std::stod(text);
}

std::string problem_of_speed(const std::string& text) {
  if (text == "max") return "";
  try {
    std::size_t end = 0;
    const double speed = std::stod(text, &end);
    if (speed >= kSpeedMin && speed <= kSpeedMax && end == text.size()) return "";
  } catch (const std::exception&) {  // no number: said below
  }
  return "expected a number from 0.001 to 100000, or max, found \"" + text + "\"";
}

// The run's consoles; none where no socket can be made, without which it runs all the same.
std::unique_ptr<console::ControlServer> open_server(const std::filesystem::path& folder) {
  Result<std::unique_ptr<console::ControlServer>> server = console::ControlServer::open(folder);
  if (server) return *std::move(server);
  std::cerr << "note: no console can attach: " << server.error().where << ": "
            << server.error().message << '\n';
  return nullptr;
}

// A case is a case whatever it is run with: an option of scenarios would be ignored.
int run_as_cases(const RunArguments& arguments) {
  const config::LoadOptions& load = arguments.load;
  if (load.seed || !load.variant.empty() || !load.sets.empty() || arguments.out ||
      arguments.processes != 1 || arguments.listen.any() || arguments.pause || arguments.speed ||
      arguments.live) {
    std::cerr
        << arguments.scenario
        << ": error: --seed, --variant, --set, --out, --processes, --listen, --keys, --spawn, "
           "--live, --pause and --speed are options of a scenario, found conformance cases\n";
    return kBadInput;
  }
  return run_cases(arguments.scenario, arguments.json);
}

int run(const RunArguments& arguments) {
  if (holds_cases(arguments.scenario)) return run_as_cases(arguments);
  const Result<CrewOptions> crew = crew_of(arguments.listen, arguments.processes);
  if (!crew) return report_bad_input(crew.error());
  config::LoadOptions load = arguments.load;
  load.live = arguments.live;
  const auto plan = load_or_report(arguments.scenario, load);
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
  const std::optional<double> speed = speed_of(arguments);
  options.speed_ppm.reset();
  if (speed) options.speed_ppm = std::llround(*speed * 1e6);
  options.stop = &stop_on_signals();
  options.crew = *crew;
  options.crew.tell = [](const std::string& line) { std::cerr << "troupe: " << line << '\n'; };
  options.progress = progress_to({from_ns(plan->duration_ns())}, plan->scenario()).front();
  const std::unique_ptr<console::ControlServer> server = open_server(directory->path());
  std::optional<console::ConsoleSteering> steering;
  if (server) {
    steering.emplace(*plan, *server,
                     console::SteeringOptions{.paused = arguments.pause,
                                              .speed = arguments.live ? std::nullopt : speed,
                                              .stop = options.stop,
                                              .scenario = arguments.scenario,
                                              .load = arguments.load});
    options.steering = &*steering;
  }
  if (arguments.pause && !server) return kDefect;  // nobody could ever say resume
  if (arguments.pause) {
    std::cerr << "paused: attach with `troupe console " << directory->path().string() << "`\n";
  }
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
  const std::string replay = arguments.live || (steering && steering->has_acted())
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
  add_listen_options(*command, arguments->listen);
  command->add_flag("--live", arguments->live,
                    "against the wall clock, by worker processes; every inbox is journaled");
  command->add_flag("--pause", arguments->pause,
                    "stand still at time 0 until a console says resume");
  command
      ->add_option("--speed", arguments->speed,
                   "virtual seconds a wall second, or max: of a live run as fast as it stays in "
                   "time; 1 for a live run, max in virtual time, where the result stays the same")
      ->check(CLI::Validator(problem_of_speed, "X"));
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace troupe::cli
