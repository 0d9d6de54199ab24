// The scenarios about how KAI groups the pods of operators' kinds hold what they say.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/emulator/cli/program.h"

namespace troupe {
namespace {

/// Runs a scenario of scenarios/kai; `more`: further arguments.
test::Output run_kai_scenario(const std::string& name, const std::string& more) {
  const auto out = std::filesystem::path(testing::TempDir()) / ("troupe-kai-" + name);
  std::filesystem::remove_all(out);
  test::Output output =
      test::shell(std::string("cd ") + TROUPE_SOURCE_DIR + " && " + TROUPE_PROGRAM +
                  " run scenarios/kai/" + name + ".yaml " + more + " --out " + out.string());
  std::filesystem::remove_all(out);
  return output;
}

TEST(KaiScenarios, APyTorchJobRunsAsOneGangToItsEnd) {
  const test::Output output = run_kai_scenario("training-gang", "");
  EXPECT_EQ(output.exit_code, 0) << output.text;
}

TEST(KaiScenarios, ARayClusterWithAnImpossibleGroupIsPlacedInPartWithoutKaiAlone) {
  for (const std::string variant : {"default-scheduler", "kai-gang"}) {
    const test::Output output =
        run_kai_scenario("ray-impossible-group", "--variant " + variant + " --processes 2");
    EXPECT_EQ(output.exit_code, 0) << variant << "\n" << output.text;
  }
}

}  // namespace
}  // namespace troupe
