// `troupe keys FILE`: who may take part in a run over the network.
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/join_options.h"
#include "emulator/transport/run_keys.h"

namespace troupe::cli {
namespace {

int make(const std::string& file) {
  const Result<transport::RunKeys> keys = transport::make_keys();
  if (!keys) {
    std::cerr << "troupe: " << keys.error().message << '\n';
    return kDefect;
  }
  if (const Result<void> written = transport::write_keys(*keys, file); !written) {
    return report_bad_input(written.error());
  }
  std::cout << file
            << ": whoever holds this file may take part in a run that is given it. Copy it to "
               "each machine over a channel that nobody reads, mode 600.\n";
  return kHeld;
}

}  // namespace

void add_keys(CLI::App& app, int& exit_code) {
  auto file = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("keys", "make a key file for a run whose workers are on other machines");
  command->add_option("FILE", *file, "a new file; none is written over")->required();
  command->callback([file, &exit_code] { exit_code = make(*file); });
}

}  // namespace troupe::cli
