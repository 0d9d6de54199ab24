#include "messages/int_or_string.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "messages/int128.h"

namespace troupe {

Result<IntOrPercent> IntOrPercent::parse(std::string_view text) {
  std::string_view digits = text;
  IntOrPercent parsed;
  parsed.percent = digits.ends_with('%');
  if (parsed.percent) digits.remove_suffix(1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parsed.value);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return fail("\"" + std::string(text) +
                "\" is neither a whole number nor a percentage: expected 3 or \"25%\"");
  }
  return parsed;
}

std::string IntOrPercent::to_string() const {
  return std::to_string(value) + (percent ? "%" : "");
}

std::int64_t IntOrPercent::of(std::int64_t total, Rounding rounding) const {
  if (!percent) return value;
  const Int128 product = static_cast<Int128>(value) * total;
  Int128 quotient = product / 100;
  const Int128 rest = product % 100;
  if (rounding == Rounding::Up && rest > 0) ++quotient;
  if (rounding == Rounding::Down && rest < 0) --quotient;
  constexpr Int128 kMin = std::numeric_limits<std::int64_t>::min();
  constexpr Int128 kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(quotient, kMin, kMax));
}

std::int64_t scaled_or(std::string_view text, IntOrPercent fallback, std::int64_t total,
                       Rounding rounding) {
  return IntOrPercent::parse(text).value_or(fallback).of(total, rounding);
}

}  // namespace troupe
