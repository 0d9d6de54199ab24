#include "tests/emulator/processes/shipped_scenarios.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "emulator/config/scenario_loader.h"

namespace troupe::test {

namespace fs = std::filesystem;

std::vector<ShippedScenario> shipped_scenarios() {
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
  std::vector<ShippedScenario> scenarios;
  for (const fs::path& file : files) {
    const std::vector<std::string> variants = config::variant_names(file);
    if (variants.empty()) scenarios.push_back({file.string(), ""});
    for (const std::string& variant : variants) scenarios.push_back({file.string(), variant});
  }
  return scenarios;
}

std::string name_of(const testing::TestParamInfo<ShippedScenario>& info) {
  std::string name = fs::path(info.param.file).stem().string();
  if (!info.param.variant.empty()) name += "_" + info.param.variant;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace troupe::test
