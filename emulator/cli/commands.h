// The subcommands. Each adds itself to the program and sets the exit code when it has run.
#pragma once

#include <string>

#include <CLI/App.hpp>

namespace troupe::cli {

/// What CLI11 says of an endpoint that is not a socket of this machine; empty of one that is. What
/// crosses a network would have to be encrypted, which it is not yet.
[[nodiscard]] inline std::string problem_of_endpoint(const std::string& text) {
  if (text.starts_with("ipc:///")) return {};
  return "expected a socket of this machine, ipc:///PATH, found \"" + text + "\"";
}

void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_console(CLI::App& app, int& exit_code);
void add_ctl(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_worker(CLI::App& app, int& exit_code);

}  // namespace troupe::cli
