// How the processes of a run meet, as the command line says it on both sides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "emulator/processes/crew.h"
#include "emulator/processes/window_worker.h"
#include "messages/result.h"

namespace troupe::cli {

/// Of `run`.
struct ListenArguments {
  std::optional<std::string> listen;
  std::optional<std::string> keys;
  std::optional<std::uint32_t> spawn;

  [[nodiscard]] bool any() const { return listen || keys || spawn; }
};
void add_listen_options(CLI::App& command, ListenArguments& arguments);
/// Fails where they do not go together.
[[nodiscard]] Result<CrewOptions> crew_of(const ListenArguments& arguments,
                                          std::uint32_t processes);

/// Of `worker`.
struct JoinArguments {
  std::string join;
  std::optional<std::string> keys;
  std::optional<std::string> address;
  std::string wait = "60s";
};
void add_join_options(CLI::App& command, JoinArguments& arguments);
[[nodiscard]] Result<WorkerOptions> worker_of(const JoinArguments& arguments);

/// Says what is wrong and returns the exit code for it.
int report_bad_input(const Error& error);

}  // namespace troupe::cli
