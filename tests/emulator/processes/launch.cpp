#include "tests/emulator/processes/launch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "emulator/config/scenario_loader.h"
#include "emulator/processes/build_id.h"

namespace troupe::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

plan::RunPlan plan_of(const std::string& name) {
  config::LoadedScenario loaded =
      config::load_scenario(std::filesystem::path(TROUPE_SOURCE_DIR) / "scenarios" / name, {});
  EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
  return std::move(loaded.plan);
}

Launch::Launch(plan::RunPlan plan, CrewOptions crew) {
  std::string name = testing::TempDir() + "launch-" + std::string(6, 'X');
  folder_ = mkdtemp(name.data());
  ExecuteOptions options;
  options.processes = crew.processes;
  options.stop = &stop_;
  options.crew = std::move(crew);
  options.crew.program = TROUPE_PROGRAM;
  if (options.crew.listen == "ipc") options.crew.listen = endpoint();
  options.crew.tell = [this](const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    told_.notify_all();
  };
  thread_ = std::thread([this, options, resolved = std::move(plan)] {
    Result<ExecuteResult> result = execute(resolved, options);
    const std::lock_guard lock(mutex_);
    if (result) {
      result_ = *std::move(result);
    } else {
      error_ = result.error().message;
    }
    over_ = true;
    told_.notify_all();
  });
}

Launch::~Launch() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  std::filesystem::remove_all(folder_);
}

std::string Launch::wait_for(const std::string& words) {
  std::unique_lock lock(mutex_);
  std::string found;
  told_.wait_for(lock, seconds(60), [&] {
    for (const std::string& line : lines_) {
      if (line.find(words) != std::string::npos) found = line;
    }
    return !found.empty() || over_;
  });
  EXPECT_FALSE(found.empty()) << "the launcher never said '" << words << "' " << error_;
  return found;
}

const ExecuteResult* Launch::result() {
  if (thread_.joinable()) thread_.join();
  return result_ ? &*result_ : nullptr;
}

int pid_in(const std::string& line) {
  const std::size_t at = line.find("(pid ");
  return at == std::string::npos ? 0 : std::stoi(line.substr(at + 5));
}

FakeWorker::FakeWorker(const std::string& endpoint, const transport::RunKeys* keys)
    : spoke_(context_, transport::Role::Spoke, keys), inbox_(context_, transport::Role::Inbox) {
  EXPECT_TRUE(spoke_.connect(endpoint).has_value());
}

void FakeWorker::hello(std::optional<std::uint64_t> build) {
  wire::Message message;
  message.mutable_hello()->set_build(build.value_or(build_id(TROUPE_PROGRAM)));
  message.mutable_hello()->set_pid(getpid());
  message.mutable_hello()->set_host("a-fake");
  say(message);
}

std::optional<std::uint32_t> FakeWorker::join() {
  hello();
  const auto answer = hear(wire::Message::kWelcome);
  if (!answer) return std::nullopt;
  welcome_ = answer->welcome();
  const std::string endpoint =
      "ipc://" + welcome_.folder() + "/worker-" + std::to_string(welcome_.process());
  if (!inbox_.bind(endpoint)) return std::nullopt;
  wire::Message joined;
  joined.mutable_joined()->set_endpoint(endpoint);
  say(joined);
  if (!hear(wire::Message::kPeers)) return std::nullopt;
  return welcome_.process();
}

std::optional<wire::Message> FakeWorker::hear(wire::Message::WhatCase what) {
  for (int tries = 0; tries < 300; ++tries) {
    auto received = spoke_.receive(milliseconds(100));
    if (received && received->message.what_case() == what) return std::move(received->message);
  }
  return std::nullopt;
}

}  // namespace troupe::test
