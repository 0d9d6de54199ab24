// The subcommands. Each adds itself to the program and sets the exit code when it has run.
#pragma once

#include <CLI/App.hpp>

namespace troupe::cli {

void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_console(CLI::App& app, int& exit_code);
void add_ctl(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_worker(CLI::App& app, int& exit_code);
void add_keys(CLI::App& app, int& exit_code);

}  // namespace troupe::cli
