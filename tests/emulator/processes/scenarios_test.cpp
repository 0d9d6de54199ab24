// What holds of every scenario that the project ships, as it is and as each of its variants.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include <gtest/gtest.h>

#include "emulator/config/scenario_loader.h"
#include "emulator/processes/execute.h"
#include "emulator/report/gpu_account.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Case {
  std::string file;
  std::string variant;
  friend void PrintTo(const Case& one, std::ostream* out) {
    *out << one.file << " " << one.variant;
  }
};

// The scenarios that are told apart by a `question`: conformance cases and catalogues are not.
std::vector<Case> all_cases() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TROUPE_SOURCE_DIR) / "scenarios")) {
    const std::string path = entry.path().string();
    const bool is_part = path.find("/manifests/") != std::string::npos ||
                         path.find("/traces/") != std::string::npos ||
                         path.find("/conformance/") != std::string::npos;
    if (entry.path().extension() == ".yaml" && !is_part) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const fs::path& file : files) {
    const std::vector<std::string> variants = config::variant_names(file);
    if (variants.empty()) cases.push_back({file.string(), ""});
    for (const std::string& variant : variants) cases.push_back({file.string(), variant});
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = fs::path(info.param.file).stem().string();
  if (!info.param.variant.empty()) name += "_" + info.param.variant;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

class EveryScenario : public testing::TestWithParam<Case> {
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

INSTANTIATE_TEST_SUITE_P(Shipped, EveryScenario, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace troupe
