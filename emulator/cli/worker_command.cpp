// `troupe worker --join ENDPOINT`: one of the processes of a run.
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/processes/end_signal.h"
#include "emulator/processes/window_worker.h"

namespace troupe::cli {
namespace {

int work(const std::string& launcher) {
  WorkerSignals signals;
  WorkerOptions options{.launcher = launcher};
  options.sockets_in = [&signals](const std::string& folder) { signals.remove_at_end(folder); };
  const Result<void> worked = run_worker(options);
  if (worked) return kHeld;
  std::cerr << "troupe worker: " << worked.error().message
            << (worked.error().where.empty() ? "" : ": " + worked.error().where) << '\n';
  return kDefect;
}

}  // namespace

void add_worker(CLI::App& app, int& exit_code) {
  auto launcher = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "worker", "run a part of a run's hosts; `troupe run --processes` starts its own");
  command->add_option("--join", *launcher, "the endpoint that `troupe run --listen` waits at")
      ->required()
      ->check(CLI::Validator(problem_of_endpoint, "ENDPOINT"));
  command->callback([launcher, &exit_code] { exit_code = work(*launcher); });
}

}  // namespace troupe::cli
