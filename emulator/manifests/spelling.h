// "Did you mean": how far a name is from the names that are known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::manifests {

/// Single-character insertions, deletions, changes and swaps of neighbours that turn `a` into `b`,
/// letters' case ignored.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// True if `found` is so close to `known` that it is most likely a slip: no edit up to three
/// characters (another case is a slip at any length), one up to six, two beyond.
[[nodiscard]] bool is_near_miss(std::string_view found, std::string_view known);

/// The closest of the names that is a near miss; empty if none is.
[[nodiscard]] std::string near_miss(std::string_view found, const std::vector<std::string>& known);
/// The closest of the names if at most half of it is wrong; empty if none is.
[[nodiscard]] std::string nearest(std::string_view found, const std::vector<std::string>& known);

}  // namespace troupe::manifests
