// In which process a host runs, and how long the windows are, changes nothing that a run comes to.
#include <gtest/gtest.h>

#include "emulator/config/scenario_loader.h"
#include "emulator/processes/execute.h"

namespace troupe {
namespace {

using nlohmann::json;

json run(std::uint32_t processes, std::uint64_t shuffle = 0, std::uint32_t divisor = 1) {
  config::LoadOptions load;
  if (shuffle != 0) load.sets.push_back("placement.shuffle=" + std::to_string(shuffle));
  const config::LoadedScenario loaded = config::load_scenario(
      std::filesystem::path(TROUPE_SOURCE_DIR) / "scenarios/placement.yaml", load);
  EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
  ExecuteOptions options;
  options.processes = processes;
  options.crew.spawned = processes;
  const std::string program = TROUPE_PROGRAM;
  options.crew.program = program;
  options.window_divisor = divisor;
  const Result<ExecuteResult> result = execute(loaded.plan, options);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  EXPECT_FALSE(result->defect) << result->defect->actor << ": " << result->defect->what;
  EXPECT_TRUE(result->held);
  return result->summary;
}

// What a run came to, without how it was run.
json outcome(json summary) {
  for (const char* key : {"processes", "windows", "lookahead_ms", "transport", "wall_seconds"}) {
    summary.erase(key);
  }
  return summary;
}

class PlacementTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { alone_ = outcome(run(1)); }
  static json alone_;
};
json PlacementTest::alone_;

TEST_F(PlacementTest, TheNumberOfProcessesChangesNothing) {
  for (const std::uint32_t processes : {2u, 4u, 8u}) {
    const json many = run(processes);
    EXPECT_EQ(outcome(many), alone_) << processes << " processes";
    EXPECT_LE(many["windows"].get<int>(), 20'000);
  }
}

TEST_F(PlacementTest, WhereAHostRunsChangesNothing) {
  for (const std::uint64_t shuffle : {1u, 2u, 3u}) {
    const json many = run(3, shuffle);
    EXPECT_EQ(outcome(many), alone_) << "shuffle " << shuffle;
    EXPECT_LE(many["windows"].get<int>(), 20'000);
  }
}

TEST_F(PlacementTest, TheLengthOfTheWindowsChangesNothing) {
  for (const std::uint32_t divisor : {2u, 7u}) {
    EXPECT_EQ(outcome(run(2, 5, divisor)), alone_) << "lookahead / " << divisor;
  }
}

}  // namespace
}  // namespace troupe
