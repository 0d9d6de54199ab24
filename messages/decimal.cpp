#include "messages/decimal.h"

#include <limits>

#include "messages/int128.h"

namespace troupe {
namespace {

constexpr int kMaxDigits = 18;  // 10^18 fits 64 bits

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal number;
  std::size_t at = 0;
  int digits = 0;
  bool seen_point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !seen_point) {
      seen_point = true;
      continue;
    }
    if (!is_digit(text[at])) break;
    if (number.mantissa != 0 && ++digits >= kMaxDigits) return std::nullopt;
    number.mantissa = number.mantissa * 10 + (text[at] - '0');
    if (seen_point && ++number.fraction_digits > kMaxDigits) return std::nullopt;
  }
  const bool has_digit = at > (seen_point ? 1U : 0U);
  if (!has_digit) return std::nullopt;
  text.remove_prefix(at);
  return number;
}

std::optional<std::int64_t> exact_product(Decimal number, std::int64_t factor,
                                          std::int64_t divisor) {
  Int128 power = divisor;
  for (int i = 0; i < number.fraction_digits; ++i) power *= 10;
  const Int128 product = static_cast<Int128>(number.mantissa) * factor;
  if (product % power != 0) return std::nullopt;
  const Int128 value = product / power;
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace troupe
