// Live runs, end to end: several workers, killed and not, and the replay of each.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "actors/actor.h"
#include "actors/context.h"
#include "emulator/config/scenario_loader.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/host_kinds.h"
#include "emulator/processes/replay.h"
#include "messages/api.pb.h"
#include "messages/k8s/core.pb.h"
#include "tests/emulator/processes/acknowledged_writes.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LiveTest : public testing::Test {
 protected:
  LiveTest() {
    std::string name = testing::TempDir() + "live-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
  }
  ~LiveTest() override { fs::remove_all(folder_); }

  json run(std::uint32_t processes) {
    const config::LoadedScenario loaded =
        config::load_scenario(fs::path(TROUPE_SOURCE_DIR) / "scenarios/placement.yaml", {});
    EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
    store_process_ =
        Placement(loaded.plan.placement(), processes).process_of(host_hash("apiserver/0"));
    ExecuteOptions options;
    options.journal = folder_ / "journal";
    options.live = true;
    options.speed_ppm = 20'000'000;
    options.processes = processes;
    options.crew.spawned = processes;
    const std::string program = TROUPE_PROGRAM;
    options.crew.program = program;
    options.crew.tell = [this](const std::string& line) { take(line); };
    const Result<ExecuteResult> result = execute(loaded.plan, options);
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return {};
    }
    EXPECT_FALSE(result->defect);
    EXPECT_TRUE(result->unwritten.empty());
    return result->summary;
  }

  // "process 1 (pid 71 on host) has joined"
  void take(const std::string& line) {
    const std::size_t at = line.find("(pid ");
    if (at == std::string::npos || !line.starts_with("process ")) return;
    if (std::stoul(line.substr(8)) == store_process_) store_pid_ = std::stoi(line.substr(at + 5));
  }

  [[nodiscard]] ReplayResult replay(std::uint32_t processes,
                                    const HostRegistry* registry = nullptr) const {
    Result<ReplayResult> result =
        replay_live(folder_ / "journal", {.processes = processes, .registry = registry});
    EXPECT_TRUE(result.has_value()) << result.error().message;
    return *std::move(result);
  }

  fs::path folder_;
  std::uint32_t store_process_ = 0;
  std::atomic<pid_t> store_pid_{0};  ///< of the worker that holds the API server and its store
};

TEST_F(LiveTest, AReplayHasTheDigestOfItsRunOverAnyNumberOfProcesses) {
  const json summary = run(3);
  EXPECT_EQ(summary["mode"], "live");
  EXPECT_EQ(summary["defects"], 0);
  for (const std::uint32_t processes : {1u, 3u}) {
    const ReplayResult again = replay(processes);
    EXPECT_FALSE(again.divergence) << again.divergence->actor << " " << again.divergence->message
                                   << " " << again.divergence->field;
    EXPECT_EQ(again.digest.hex(), summary["digest"]);
    EXPECT_EQ(again.delivered, summary["messages_delivered"].get<std::uint64_t>());
  }
}

TEST_F(LiveTest, TheDeathOfTheStoresWorkerLosesNoAcknowledgedWriteAndReplaysExactly) {
  std::thread killer([this] {
    while (store_pid_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    kill(store_pid_, SIGKILL);
  });
  const json summary = run(2);
  killer.join();
  EXPECT_EQ(summary["live"]["worker_deaths"], 1);
  std::size_t acknowledged = 0;
  EXPECT_EQ(test::lost_writes(folder_, acknowledged), std::vector<std::string>{});
  EXPECT_GT(acknowledged, 20u);
  EXPECT_EQ(summary["defects"], 0);
  const ReplayResult again = replay(1);
  EXPECT_FALSE(again.divergence) << again.divergence->actor << " " << again.divergence->message
                                 << " " << again.divergence->field;
  EXPECT_EQ(again.digest.hex(), summary["digest"]);
}

// A Context that changes one field of what the actor sends.
class ChangedContext final : public Context {
 public:
  explicit ChangedContext(Context& real) : real_(real) {}
  [[nodiscard]] SimTime now() const override { return real_.now(); }
  [[nodiscard]] const Address& self() const override { return real_.self(); }
  [[nodiscard]] const std::string& path() const override { return real_.path(); }
  void send(const Address& to, Payload what, const Via& via) override {
    if (const auto* request = what.as<api::ApiRequest>();
        request != nullptr && request->verb() == api::BIND) {
      api::ApiRequest changed = *request;
      changed.mutable_key()->set_name(changed.key().name() + "x");
      what = Payload::of(std::move(changed), what.attachments());
    }
    real_.send(to, std::move(what), via);
  }
  TimerId set_timer(Duration delay, Payload what) override {
    return real_.set_timer(delay, std::move(what));
  }
  void cancel_timer(TimerId timer) override { real_.cancel_timer(timer); }
  Address spawn(const std::string& path, std::unique_ptr<Actor> actor) override {
    return real_.spawn(path, std::move(actor));
  }
  void stop(const Address& actor) override { real_.stop(actor); }
  void persist(const std::string& key, std::string bytes) override {
    real_.persist(key, std::move(bytes));
  }
  void emit(Payload fact) override { real_.emit(std::move(fact)); }
  [[nodiscard]] std::uint64_t random(std::string_view purpose, std::uint64_t index) const override {
    return real_.random(purpose, index);
  }

 private:
  Context& real_;
};

class Changed final : public Actor {
 public:
  explicit Changed(std::unique_ptr<Actor> real) : real_(std::move(real)) {}
  void start(Context& context) override {
    ChangedContext changed(context);
    real_->start(changed);
  }
  void receive(Context& context, const Delivery& delivery) override {
    ChangedContext changed(context);
    real_->receive(changed, delivery);
  }

 private:
  std::unique_ptr<Actor> real_;
};

TEST_F(LiveTest, AnActorThatDoesSomethingElseIsNamedWithMessageAndField) {
  run(2);
  HostRegistry registry = all_host_kinds();
  registry.replace("kube-scheduler", [](HostRegistry::Builder real) {
    return [real](const Payload& start) { return std::make_unique<Changed>(real(start)); };
  });
  const ReplayResult again = replay(1, &registry);
  ASSERT_TRUE(again.divergence.has_value());
  EXPECT_EQ(again.divergence->actor, "controller/kube-scheduler/0");
  EXPECT_NE(again.divergence->message, "");
  EXPECT_NE(again.divergence->field.find("key.name"), std::string::npos) << again.divergence->field;
}

}  // namespace
}  // namespace troupe
