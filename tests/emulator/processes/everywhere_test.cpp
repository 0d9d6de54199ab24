// Every shipped scenario over several processes and under a shuffled placement: the digest of one.
// It takes long, so that only `./dev test --long` runs it.
#include <gtest/gtest.h>

#include "emulator/config/scenario_loader.h"
#include "emulator/processes/execute.h"
#include "tests/emulator/processes/shipped_scenarios.h"

namespace troupe {
namespace {

using test::ShippedScenario;

class EveryScenarioEverywhere : public testing::TestWithParam<ShippedScenario> {
 protected:
  static std::string digest(std::uint32_t processes, std::uint64_t shuffle = 0) {
    config::LoadOptions load;
    load.variant = GetParam().variant;
    if (shuffle != 0) load.sets.push_back("placement.shuffle=" + std::to_string(shuffle));
    const config::LoadedScenario loaded = config::load_scenario(GetParam().file, load);
    EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
    ExecuteOptions options;
    options.processes = processes;
    options.crew.spawned = processes;
    options.crew.program = TROUPE_PROGRAM;
    const Result<ExecuteResult> result = execute(loaded.plan, options);
    if (!result) return result.error().message;
    if (result->defect) return result->defect->actor + ": " + result->defect->what;
    return result->summary["digest"];
  }
};

TEST_P(EveryScenarioEverywhere, HasTheDigestOfOneProcess) {
  const std::string alone = digest(1);
  for (const std::uint32_t processes : {2U, 4U, 8U}) {
    EXPECT_EQ(digest(processes), alone) << processes << " processes";
  }
  EXPECT_EQ(digest(3, 1), alone) << "three processes, shuffled";
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryScenarioEverywhere,
                         testing::ValuesIn(test::shipped_scenarios()), test::name_of);

}  // namespace
}  // namespace troupe
