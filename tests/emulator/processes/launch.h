// A run whose launcher is this test: it can be watched and disturbed while it goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include "emulator/processes/execute.h"
#include "emulator/transport/frame_socket.h"

namespace troupe::test {

/// scenarios/NAME, resolved.
[[nodiscard]] plan::RunPlan plan_of(const std::string& name);

class Launch {
 public:
  Launch(plan::RunPlan plan, CrewOptions crew);
  /// Ends the run where it still goes on.
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  /// Waits for a line of the launcher that holds these words, and returns it; empty if none comes.
  std::string wait_for(const std::string& words);
  /// Waits for the end. Null if the run never began.
  const ExecuteResult* result();
  [[nodiscard]] const std::string& error() const { return error_; }
  /// A folder for sockets of this test; where `crew.listen` is "ipc", the launcher listens in it.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::string endpoint() const { return "ipc://" + (folder_ / "launcher").string(); }

 private:
  std::filesystem::path folder_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable told_;
  std::vector<std::string> lines_;
  bool over_ = false;
  std::optional<ExecuteResult> result_;
  std::string error_;
  std::thread thread_;
};

/// The pid that a line of the launcher names: "process 0 (pid 71 on gpu-test) has joined".
[[nodiscard]] int pid_in(const std::string& line);

/// A worker that says what the test wants.
class FakeWorker {
 public:
  explicit FakeWorker(const std::string& endpoint, const transport::RunKeys* keys = nullptr);

  void say(const wire::Message& message) { spoke_.send(message); }
  void hello(std::optional<std::uint64_t> build = std::nullopt);
  /// Says hello, reads the plan, says that it is ready, and waits for its peers. The number that it
  /// was given.
  std::optional<std::uint32_t> join();
  /// The next message of that kind, what came before it dropped.
  std::optional<wire::Message> hear(wire::Message::WhatCase what);

  /// What the launcher told it.
  [[nodiscard]] const wire::Welcome& welcome() const { return welcome_; }

 private:
  zmq::context_t context_{1};
  transport::FrameSocket spoke_;
  transport::FrameSocket inbox_;
  wire::Welcome welcome_;
};

}  // namespace troupe::test
