// Workers that dial in over a network: only with the keys of the run.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "emulator/processes/child_process.h"
#include "tests/emulator/processes/launch.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using test::Launch;

class JoiningTest : public testing::Test {
 protected:
  JoiningTest() {
    std::string name = testing::TempDir() + "joining-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
    keys_ = make("keys");
  }
  ~JoiningTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  transport::RunKeys make(const std::string& name) const {
    const auto keys = transport::make_keys();
    EXPECT_TRUE(keys && transport::write_keys(*keys, folder_ / name));
    return *keys;
  }
  [[nodiscard]] CrewOptions network(std::uint32_t processes, std::uint32_t spawned) const {
    CrewOptions crew;
    crew.processes = processes;
    crew.spawned = spawned;
    crew.listen = "tcp://127.0.0.1:*";
    crew.keys = keys_;
    crew.keys_file = path("keys");
    return crew;
  }
  static std::string endpoint_in(const std::string& line) {
    const std::size_t at = line.find("tcp://");
    return line.substr(at, line.find(' ', at) - at);
  }
  static ChildProcess start(const std::vector<std::string>& arguments) {
    Result<ChildProcess> child = ChildProcess::start(TROUPE_PROGRAM, arguments);
    EXPECT_TRUE(child.has_value());
    return *std::move(child);
  }
  [[nodiscard]] ChildProcess worker(const std::string& endpoint, const std::string& keys) const {
    return start({"worker", "--join", endpoint, "--keys", path(keys)});
  }

  std::filesystem::path folder_;
  transport::RunKeys keys_;
};

TEST_F(JoiningTest, WorkersWithTheKeysDialInAndOthersAreCounted) {
  const plan::RunPlan plan = test::plan_of("first-steps.yaml");
  make("others");
  Launch launch(plan, network(2, 1));
  const std::string endpoint = endpoint_in(launch.wait_for("waiting for 1 worker"));
  ChildProcess stranger = worker(endpoint, "others");
  stranger.end_within(20s);
  EXPECT_EQ(stranger.ended(), "exit code 3");
  launch.wait_for("without the keys of this run");
  ChildProcess friendly = worker(endpoint, "keys");
  const ExecuteResult* result = launch.result();
  ASSERT_NE(result, nullptr) << launch.error();
  EXPECT_FALSE(result->defect);
  EXPECT_GE(result->summary["transport"]["refused_peers"], 1);
  const Result<ExecuteResult> alone = execute(plan, {});
  EXPECT_EQ(result->summary["digest"], alone->summary["digest"]);
  friendly.end_within(5s);
  EXPECT_EQ(friendly.ended(), "exit code 0");
}

TEST_F(JoiningTest, ANetworkWithoutKeysIsRefused) {
  CrewOptions crew = network(2, 2);
  crew.keys.reset();
  Launch launch(test::plan_of("first-steps.yaml"), crew);
  EXPECT_EQ(launch.result(), nullptr);
  EXPECT_NE(launch.error().find("keys"), std::string::npos);
}

TEST_F(JoiningTest, AWorkerWaitsForALauncherThatIsNotUpYet) {
  std::string endpoint;
  {
    Launch for_a_port(test::plan_of("first-steps.yaml"), network(2, 0));
    endpoint = endpoint_in(for_a_port.wait_for("waiting for 2 workers"));
  }
  ChildProcess early = worker(endpoint, "keys");
  std::this_thread::sleep_for(500ms);
  CrewOptions crew = network(2, 1);
  crew.listen = endpoint;
  Launch launch(test::plan_of("first-steps.yaml"), crew);
  ASSERT_NE(launch.result(), nullptr) << launch.error();
  early.end_within(5s);
  EXPECT_EQ(early.ended(), "exit code 0");
}

TEST_F(JoiningTest, AWorkerGivesUpWhereNobodyListens) {
  ChildProcess lonely =
      start({"worker", "--join", "tcp://127.0.0.1:9", "--keys", path("keys"), "--wait", "300ms"});
  lonely.end_within(10s);
  EXPECT_EQ(lonely.ended(), "exit code 3");
}

TEST_F(JoiningTest, WorkersEndSoonAfterTheirLauncherWasKilled) {
  std::string endpoint;
  {
    Launch for_a_port(test::plan_of("first-steps.yaml"), network(2, 0));
    endpoint = endpoint_in(for_a_port.wait_for("waiting for 2 workers"));
  }
  const std::string scenario = std::string(TROUPE_SOURCE_DIR) + "/scenarios/placement.yaml";
  ChildProcess launcher = start({"run", scenario, "--processes", "2", "--listen", endpoint,
                                 "--keys", path("keys"), "--out", path("out")});
  ChildProcess a = worker(endpoint, "keys");
  ChildProcess b = worker(endpoint, "keys");
  // The journal is begun when all have joined.
  for (int i = 0; i < 2000 && !std::filesystem::exists(folder_ / "out/journal/run.journal"); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_TRUE(std::filesystem::exists(folder_ / "out/journal/run.journal"));
  kill(launcher.pid(), SIGKILL);
  for (ChildProcess* child : {&a, &b}) {
    child->end_within(5s);
    EXPECT_EQ(child->ended(), "exit code 3");
  }
}

}  // namespace
}  // namespace troupe
