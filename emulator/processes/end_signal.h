// What ends a process from outside.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

namespace troupe {

/// Set by the first Ctrl-C or SIGTERM from the call on; the second one ends the program at once.
[[nodiscard]] const std::atomic<bool>& stop_on_signals();

/// Of a worker: a Ctrl-C is its launcher's affair; a SIGTERM, which also says that the launcher
/// died, ends it at once, however long its handler in hand takes, with nothing left behind. Made
/// before any other thread.
class WorkerSignals {
 public:
  WorkerSignals();
  ~WorkerSignals();
  WorkerSignals(const WorkerSignals&) = delete;
  WorkerSignals& operator=(const WorkerSignals&) = delete;

  /// The folder of the run's sockets, to be removed.
  void remove_at_end(std::filesystem::path folder);

 private:
  std::mutex mutex_;
  std::filesystem::path folder_;
  std::thread waiter_;
};

}  // namespace troupe
