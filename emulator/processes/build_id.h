// Which build of troupe this is: digests are comparable within one build only.
#pragma once

#include <cstdint>
#include <filesystem>

namespace troupe {

/// A hash of an executable's bytes, this program's own unless told; 0 if it cannot be read.
[[nodiscard]] std::uint64_t build_id(const std::filesystem::path& executable = "/proc/self/exe");

}  // namespace troupe
