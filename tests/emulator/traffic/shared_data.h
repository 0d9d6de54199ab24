// Real traces are not part of the project: they lie in `shared/data` beside it, or where
// $TROUPE_SHARED says.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace troupe::traffic {

/// The file, if it is there: `name` is relative to shared/data.
inline std::optional<std::filesystem::path> shared_data(const std::filesystem::path& name) {
  const char* set = std::getenv("TROUPE_SHARED");
  const std::filesystem::path shared = set != nullptr
                                           ? std::filesystem::path(set)
                                           : std::filesystem::path(TROUPE_SOURCE_DIR "/../shared");
  const std::filesystem::path file = shared / "data" / name;
  if (!std::filesystem::exists(file)) return std::nullopt;
  return file;
}

}  // namespace troupe::traffic

#define TROUPE_REQUIRE_DATA(variable, name)                   \
  const auto variable = ::troupe::traffic::shared_data(name); \
  if (!variable) GTEST_SKIP() << "the real trace " << (name) << " is not here"
