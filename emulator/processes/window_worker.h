// One of the processes of a run in virtual time: it runs its hosts, window by window.
#pragma once

#include <functional>
#include <string>

#include "messages/result.h"

namespace troupe {

struct WorkerOptions {
  std::string launcher;  ///< endpoint
  /// Is told the folder of the run's sockets. May be empty.
  std::function<void(const std::string& folder)> sockets_in = {};
};

/// Dials in, runs what it is given, and returns when the run is over. Fails where the launcher
/// cannot be reached, refuses the worker, or falls silent.
[[nodiscard]] Result<void> run_worker(const WorkerOptions& options);

}  // namespace troupe
