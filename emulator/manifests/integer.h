// Whole numbers in the notations that YAML has: 12, -3, 0x1f, 0o17, and 0644, which kubectl reads
// as octal.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::manifests {

struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

/// None where the text is no whole number or exceeds 64 bits.
[[nodiscard]] std::optional<Integer> parse_integer(std::string_view text);

}  // namespace troupe::manifests
