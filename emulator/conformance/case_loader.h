// From a file to its conformance cases: each YAML document is one. Every fault is a diagnostic with
// file, line and what was expected; nothing is run.
#pragma once

#include <filesystem>
#include <vector>

#include "emulator/conformance/case.h"
#include "emulator/manifests/diagnostic.h"

namespace troupe::conformance {

inline constexpr const char* kCaseKind = "ConformanceCase";

struct LoadedCases {
  std::vector<Case> cases;  ///< worth something only without errors
  manifests::Diagnostics diagnostics;
  [[nodiscard]] bool ok() const { return !manifests::has_errors(diagnostics); }
};

/// Of a folder, every YAML file in it and below, in order of their paths.
[[nodiscard]] LoadedCases load_cases(const std::filesystem::path& file_or_folder);

}  // namespace troupe::conformance
