// Conformance cases for `troupe run`: which pass, and what the others do instead.
#pragma once

#include <filesystem>

namespace troupe::cli {

/// True of a folder, and of a file whose first document is a case.
[[nodiscard]] bool holds_cases(const std::filesystem::path& file);

/// The exit code. Nothing is run if any of the cases is malformed.
int run_cases(const std::filesystem::path& file_or_folder, bool json);

}  // namespace troupe::cli
