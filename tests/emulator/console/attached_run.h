// A run that goes on in a thread of its own, with the test as its console.
#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "emulator/config/scenario_loader.h"
#include "emulator/console/command_line.h"
#include "emulator/console/console_steering.h"
#include "emulator/console/control_client.h"
#include "emulator/journal/journal_file.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/replay_steering.h"

namespace troupe::console {

inline const std::filesystem::path kScenario =
    std::filesystem::path(TROUPE_SOURCE_DIR) / "scenarios/placement.yaml";

inline plan::RunPlan load(const std::filesystem::path& file = kScenario) {
  const config::LoadedScenario loaded = config::load_scenario(file);
  EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
  return loaded.plan;
}

inline std::string digest_of(const ExecuteResult& result) {
  return result.summary["digest"].get<std::string>();
}

/// The digest of the run that nobody touches.
inline std::string plain_digest() {
  static const std::string digest = digest_of(*execute(load(), {}));
  return digest;
}

class AttachedRun {
 public:
  explicit AttachedRun(SteeringOptions options = {.paused = true})
      : folder_(make_folder()), server_(*ControlServer::open(folder_)), stop_(false) {
    options.scenario = kScenario;
    options.stop = &stop_;
    steering_ = std::make_unique<ConsoleSteering>(plan_, *server_, options);
    result_ = std::async(std::launch::async, [this] {
      ExecuteOptions execute_options;
      execute_options.journal = folder_ / "journal";
      execute_options.steering = steering_.get();
      execute_options.stop = &stop_;
      return execute(plan_, execute_options);
    });
    client_ = *ControlClient::dial(folder_.string());
  }
  ~AttachedRun() {
    stop_ = true;
    if (result_.valid()) result_.wait();
    client_.reset();
    server_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// The answer to one line of the console.
  control::Reply ask(const std::string& line, bool json = false) {
    const Result<std::uint64_t> id = client_->send(*split_line(line), json);
    if (!id) {
      ADD_FAILURE() << line << ": " << id.error().message;
      return {};
    }
    std::optional<control::Reply> reply = client_->receive(*id, std::chrono::seconds(60));
    if (!reply) {
      ADD_FAILURE() << line << ": no answer";
      return {};
    }
    return *std::move(reply);
  }
  /// The same, where it must go well.
  std::string tell(const std::string& line) {
    const control::Reply reply = ask(line);
    EXPECT_EQ(reply.outcome(), control::Reply::OK) << line << ": " << reply.text();
    return reply.text();
  }

  /// Lets the run go to its end, and waits for it.
  ExecuteResult finish() {
    // A run that was not paused may have ended by itself, and says so instead of an answer.
    if (const Result<std::uint64_t> id = client_->send({"resume"}, false); id && !finished_) {
      static_cast<void>(client_->receive(*id, std::chrono::seconds(60)));
    }
    finished_ = true;
    EXPECT_EQ(result_.wait_for(std::chrono::seconds(120)), std::future_status::ready);
    Result<ExecuteResult> result = result_.get();
    EXPECT_TRUE(result.has_value());
    return *std::move(result);
  }
  [[nodiscard]] ControlClient& client() { return *client_; }
  [[nodiscard]] const ControlServer& server() const { return *server_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// What the journal replays to.
  [[nodiscard]] std::string replayed_digest() const {
    const Result<JournalContent> content = read_journal(folder_ / "journal");
    EXPECT_TRUE(content && content->damage.empty());
    std::vector<journal::Command> commands;
    for (const journal::Record& record : content->records) {
      if (record.has_command()) commands.push_back(record.command());
    }
    EXPECT_FALSE(commands.empty());
    ReplaySteering replay(commands, std::nullopt);
    ExecuteOptions options;
    options.steering = &replay;
    return digest_of(*execute(content->records.front().header().plan(), options));
  }

 private:
  static std::filesystem::path make_folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / ("console-test-" + std::string(6, 'X'))).string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    return name;
  }

  plan::RunPlan plan_ = load();
  std::filesystem::path folder_;
  std::unique_ptr<ControlServer> server_;
  std::atomic<bool> stop_;
  std::unique_ptr<ConsoleSteering> steering_;
  std::future<Result<ExecuteResult>> result_;
  std::unique_ptr<ControlClient> client_;
  bool finished_ = false;
};

}  // namespace troupe::console
