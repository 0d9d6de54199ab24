// troupe: the program. Each subcommand is a file of this folder.
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"

int main(int argc, char** argv) {
  CLI::App app{"troupe: an emulator of GPU clusters on Kubernetes", "troupe"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "troupe " TROUPE_VERSION);
  app.footer(
      "Exit codes: 0 held, 1 an expectation or invariant failed, 2 bad input, 3 a defect of ours.");
  int exit_code = troupe::cli::kHeld;
  troupe::cli::add_run(app, exit_code);
  troupe::cli::add_check(app, exit_code);
  troupe::cli::add_compare(app, exit_code);
  troupe::cli::add_list(app, exit_code);
  troupe::cli::add_console(app, exit_code);
  troupe::cli::add_ctl(app, exit_code);
  troupe::cli::add_replay(app, exit_code);
  troupe::cli::add_worker(app, exit_code);
  troupe::cli::add_keys(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? troupe::cli::kHeld : troupe::cli::kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "troupe: " << error.what() << '\n';
    return troupe::cli::kDefect;
  }
  // A summary that went nowhere must not look like a success.
  if (!std::cout.flush()) {
    std::cerr << "troupe: standard output cannot be written\n";
    return troupe::cli::kDefect;
  }
  return exit_code;
}
