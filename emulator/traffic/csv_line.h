// One line of a CSV file into its fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::traffic {

/// The fields of `line`, blanks around them taken off; one in double quotes may hold commas and
/// doubled quotes. Nothing if a quote is left open. A field never spans lines.
[[nodiscard]] std::optional<std::vector<std::string>> split_csv(std::string_view line);

}  // namespace troupe::traffic
