// Faults over many processes: where a host runs changes nothing of what befalls it.
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/emulator/cli/program.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const std::string& scenario, const std::string& variant, int processes) {
  const fs::path out = fs::path(testing::TempDir()) / "troupe-faults";
  fs::remove_all(out);
  std::ostringstream command;
  command << "cd " << TROUPE_SOURCE_DIR << " && " << TROUPE_PROGRAM << " run scenarios/faults/"
          << scenario << ".yaml --variant " << variant << " --processes " << processes << " --out "
          << out.string();
  const test::Output output = test::shell(command.str());
  EXPECT_EQ(output.exit_code, 0) << output.text;
  fs::remove_all(out);
  constexpr std::size_t kLength = 39;  // the word, a space and 32 digits
  const std::size_t at = output.text.find("digest ");
  return at == std::string::npos ? std::string() : output.text.substr(at, kLength);
}

TEST(FaultsOverProcesses, HaveTheDigestOfOne) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"network", "loss"},     {"network", "on-a-condition"},  {"nodes", "kubelet-hang"},
      {"nodes", "clock-skew"}, {"pods", "crash-loop"},         {"gpus", "nvlink-down"},
      {"cloud", "reclaimed"},  {"api-server", "lagging-cache"}};
  for (const auto& [scenario, variant] : cases) {
    const std::string one = digest_of(scenario, variant, 1);
    EXPECT_EQ(one.size(), 39u) << one;
    for (const int processes : {2, 4}) {
      EXPECT_EQ(digest_of(scenario, variant, processes), one) << scenario << " " << variant;
    }
  }
}

}  // namespace
}  // namespace troupe
