// Decimal numbers as people write them, without a detour through doubles: "1.5" hours is exactly
// 5400 s.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

/// A non-negative number: mantissa / 10^fraction_digits.
struct Decimal {
  std::int64_t mantissa = 0;
  int fraction_digits = 0;  ///< 0 to 18
};

/// Takes a number off the front of `text`: digits with at most one point. None, and `text`
/// unchanged, where no number stands there or it has more than 18 digits.
std::optional<Decimal> take_decimal(std::string_view& text);

/// number * factor / divisor, if that is a whole number that fits; factor and divisor are positive.
[[nodiscard]] std::optional<std::int64_t> exact_product(Decimal number, std::int64_t factor,
                                                        std::int64_t divisor = 1);

}  // namespace troupe
