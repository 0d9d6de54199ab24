// What holds of every scenario that the project ships, as it is and as each of its variants.
#include <gtest/gtest.h>

#include "emulator/config/scenario_loader.h"
#include "emulator/processes/execute.h"
#include "emulator/report/gpu_account.h"
#include "tests/emulator/processes/shipped_scenarios.h"

namespace troupe {
namespace {

using nlohmann::json;

class EveryScenario : public testing::TestWithParam<test::ShippedScenario> {
 protected:
  static json run(std::optional<std::uint64_t> seed = std::nullopt) {
    config::LoadOptions options;
    options.variant = GetParam().variant;
    options.seed = seed;
    const config::LoadedScenario loaded = config::load_scenario(GetParam().file, options);
    EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
    const Result<ExecuteResult> result = execute(loaded.plan, {});
    EXPECT_TRUE(result.has_value());
    EXPECT_FALSE(result->defect) << result->defect->actor << ": " << result->defect->what;
    return result->summary;
  }
};

TEST_P(EveryScenario, KeepsItsPromisesAndRunsTheSameTwice) {
  const json first = run();
  for (const json& expectation : first["expectations"]) {
    EXPECT_TRUE(expectation["pass"].get<bool>()) << expectation.dump();
  }
  for (const auto& [name, outcome] : first["invariants"].items()) {
    EXPECT_EQ(outcome["violations"], 0) << name << " " << outcome.dump();
  }

  // gpu_minutes is a partition: its parts, each folded from its own intervals, add up to what was
  // provisioned.
  double parts = 0;
  for (const std::string_view part : kGpuClassNames) {
    const double minutes = first["gpu_minutes"][std::string(part)].get<double>();
    EXPECT_GE(minutes, 0) << part;
    parts += minutes;
  }
  EXPECT_NEAR(parts, first["gpu_minutes"]["provisioned"].get<double>(), 1e-4);

  // Every request has one end, and where no data plane failed the router counted the same ends.
  const json& requests = first["requests"];
  EXPECT_EQ(requests["completed"].get<int>() + requests["timed_out"].get<int>() +
                requests["rejected"].get<int>() + requests["failed"].get<int>() +
                requests["unfinished"].get<int>(),
            requests["total"].get<int>());
  if (!first["routers"].empty() && requests["failed"] == 0) {
    int routed = 0;
    for (const auto& [service, router] : first["routers"].items())
      routed += router["completed"].get<int>();
    EXPECT_EQ(routed, requests["completed"].get<int>());
  }

  const json second = run();
  EXPECT_EQ(first["digest"], second["digest"]);
  json a = first;
  json b = second;
  a.erase("wall_seconds");
  b.erase("wall_seconds");
  EXPECT_EQ(a, b);
}

TEST_P(EveryScenario, HasAnotherDigestWithAnotherSeed) {
  if (GetParam().file.find("toy-ticks") != std::string::npos) {
    GTEST_SKIP() << "the toy draws nothing";
  }
  EXPECT_NE(run(1)["digest"], run(2)["digest"]);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryScenario, testing::ValuesIn(test::shipped_scenarios()),
                         test::name_of);

}  // namespace
}  // namespace troupe
