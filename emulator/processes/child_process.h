// A process of this program's own, started and seen to its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "messages/result.h"

namespace troupe {

/// Dies with its parent, and is killed at the end of this object's life if it still runs then.
class ChildProcess {
 public:
  /// Its standard output goes to standard error: a run's own output is for its caller.
  [[nodiscard]] static Result<ChildProcess> start(const std::filesystem::path& program,
                                                  const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// How it ended, "exit code 3" or "killed by signal 9"; nothing while it runs.
  [[nodiscard]] const std::optional<std::string>& ended();
  /// Nothing where it has ended.
  void signal(int what);
  /// Gives it so long to end, then kills it.
  void end_within(std::chrono::milliseconds patience);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  std::optional<std::string> ended_;
};

}  // namespace troupe
