// Whether a live run's store still has every write that any client was told of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace troupe::test {

/// The acknowledged writes that the stores of a run's workers have lost, each in a line: the
/// object, the version that a client was told, what the store has.
[[nodiscard]] std::vector<std::string> lost_writes(const std::filesystem::path& run,
                                                   std::size_t& acknowledged);

}  // namespace troupe::test
