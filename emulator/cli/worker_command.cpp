// `troupe worker --join ENDPOINT`: one of the processes of a run.
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/join_options.h"
#include "emulator/processes/end_signal.h"

namespace troupe::cli {
namespace {

int work(const JoinArguments& arguments) {
  Result<WorkerOptions> options = worker_of(arguments);
  if (!options) return report_bad_input(options.error());
  WorkerSignals signals;
  options->sockets_in = [&signals](const std::string& folder) { signals.remove_at_end(folder); };
  const Result<void> worked = run_worker(*options);
  if (worked) return kHeld;
  std::cerr << "troupe worker: " << worked.error().message
            << (worked.error().where.empty() ? "" : ": " + worked.error().where) << '\n';
  return kDefect;
}

}  // namespace

void add_worker(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<JoinArguments>();
  CLI::App* command = app.add_subcommand(
      "worker", "run a part of a run's hosts; `troupe run --processes` starts its own");
  add_join_options(*command, *arguments);
  command->callback([arguments, &exit_code] { exit_code = work(*arguments); });
}

}  // namespace troupe::cli
