// One of the processes of a run in virtual time: it runs its hosts, window by window.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "emulator/transport/run_keys.h"
#include "messages/result.h"

namespace troupe {

struct WorkerOptions {
  std::string launcher;  ///< endpoint
  /// Of a run over a network.
  std::optional<transport::RunKeys> keys = {};
  /// This machine's own, at which the other workers reach this one; empty: the one from which the
  /// launcher is reached.
  std::string address = {};
  /// For how long the launcher may not be up yet.
  std::chrono::milliseconds wait = std::chrono::seconds(60);
  /// Is told the folder of the run's sockets. May be empty.
  std::function<void(const std::string& folder)> sockets_in = {};
};

/// Dials in, runs what it is given, and returns when the run is over. Fails where the launcher
/// cannot be reached, refuses the worker, or is gone, and where what a peer has sent never comes.
[[nodiscard]] Result<void> run_worker(const WorkerOptions& options);

}  // namespace troupe
