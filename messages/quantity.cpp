#include "messages/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace troupe {
namespace {

constexpr Int128 kBillion = 1'000'000'000;
constexpr Int128 kMaxWhole = std::numeric_limits<std::int64_t>::max();
/// Digits after the point that are kept: 10^18 times 2^60 still fits 128 bits.
constexpr std::size_t kFractionDigits = 18;
constexpr Int128 kFractionUnit = 1'000'000'000'000'000'000;

struct Suffix {
  std::string_view text;
  int exponent;  ///< of ten
};
constexpr std::array<Suffix, 10> kDecimal = {{{"n", -9},
                                              {"u", -6},
                                              {"m", -3},
                                              {"", 0},
                                              {"k", 3},
                                              {"M", 6},
                                              {"G", 9},
                                              {"T", 12},
                                              {"P", 15},
                                              {"E", 18}}};
constexpr std::array<std::string_view, 7> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

/// What a quantity is multiplied by: 10^ten * 2^two.
struct Scale {
  Quantity::Form form = Quantity::Form::DecimalSi;
  int ten = 0;
  int two = 0;
};

std::optional<Scale> scale_of(std::string_view suffix) {
  for (const Suffix& decimal : kDecimal) {
    if (decimal.text == suffix) return Scale{Quantity::Form::DecimalSi, decimal.exponent, 0};
  }
  for (std::size_t i = 1; i < kBinary.size(); ++i) {
    if (kBinary[i] == suffix) return Scale{Quantity::Form::BinarySi, 0, static_cast<int>(10 * i)};
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix[0] == '+') suffix.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (error != std::errc{} || end != suffix.data() + suffix.size()) return std::nullopt;
  constexpr int kFarEnough = 64;  // beyond it nothing changes: too large, or below 1n
  return Scale{Quantity::Form::DecimalExponent, std::clamp(exponent, -kFarEnough, kFarEnough), 0};
}

/// A number written in decimal, its point moved by the scale's power of ten.
struct Digits {
  std::string whole;
  std::string fraction;
};

Digits shifted(Digits digits, int exponent) {
  for (; exponent > 0; --exponent) {
    digits.whole += digits.fraction.empty() ? '0' : digits.fraction.front();
    if (!digits.fraction.empty()) digits.fraction.erase(0, 1);
  }
  for (; exponent < 0; ++exponent) {
    digits.fraction.insert(digits.fraction.begin(),
                           digits.whole.empty() ? '0' : digits.whole.back());
    if (!digits.whole.empty()) digits.whole.pop_back();
  }
  return digits;
}

/// Billionths of digits * 2^two, rounded up; none where it is too large.
std::optional<Int128> to_nano(const Digits& digits, int two) {
  Int128 whole = 0;
  for (const char c : digits.whole) {
    whole = whole * 10 + (c - '0');
    if (whole > kMaxWhole) return std::nullopt;
  }
  Int128 fraction = 0;
  for (std::size_t i = 0; i < kFractionDigits; ++i) {
    fraction = fraction * 10 + (i < digits.fraction.size() ? digits.fraction[i] - '0' : 0);
  }
  const bool more = digits.fraction.find_first_not_of('0', kFractionDigits) != std::string::npos;
  const Int128 factor = static_cast<Int128>(1) << two;
  fraction *= factor;
  whole = whole * factor + fraction / kFractionUnit;
  const Int128 rest = fraction % kFractionUnit * kBillion;
  const bool round_up = more || rest % kFractionUnit != 0;
  const Int128 nano = whole * kBillion + rest / kFractionUnit + (round_up ? 1 : 0);
  if (nano > kMaxWhole * kBillion) return std::nullopt;
  return nano;
}

std::string int_text(Int128 value) {
  const bool negative = value < 0;
  std::string text;
  do {
    const int digit = static_cast<int>(value % 10);
    text += static_cast<char>('0' + (negative ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  Digits digits;
  const std::size_t point = rest.find_first_not_of("0123456789");
  digits.whole = rest.substr(0, point);
  rest.remove_prefix(digits.whole.size());
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    digits.fraction = rest.substr(0, rest.find_first_not_of("0123456789"));
    rest.remove_prefix(digits.fraction.size());
  }
  const std::optional<Scale> scale = scale_of(rest);
  if (!scale || (digits.whole.empty() && digits.fraction.empty())) {
    return fail(
        "\"" + std::string(text) +
        "\" is not a quantity: expected a number with no suffix, one of n u m k M G T P E or "
        "Ki Mi Gi Ti Pi Ei, or an exponent such as e3");
  }
  const std::optional<Int128> nano = to_nano(shifted(std::move(digits), scale->ten), scale->two);
  if (!nano)
    return fail("\"" + std::string(text) + "\" is too large: a quantity is at most 2^63 - 1");
  return Quantity(negative ? -*nano : *nano, scale->form);
}

std::string Quantity::to_string() const {
  constexpr Int128 kSmallestBinary = 1024 * kBillion;
  const bool binary = form_ == Form::BinarySi && nano_ % kBillion == 0 &&
                      (nano_ >= kSmallestBinary || nano_ <= -kSmallestBinary);
  return binary ? binary_text() : decimal_text();
}

std::string Quantity::decimal_text() const {
  if (nano_ == 0) return "0";
  Int128 mantissa = nano_;
  std::size_t suffix = 0;
  while (suffix + 1 < kDecimal.size() && mantissa % 1000 == 0) {
    mantissa /= 1000;
    ++suffix;
  }
  const Suffix& chosen = kDecimal.at(suffix);
  if (form_ != Form::DecimalExponent) return int_text(mantissa).append(chosen.text);
  return int_text(mantissa) + (chosen.exponent == 0 ? "" : "e" + std::to_string(chosen.exponent));
}

std::string Quantity::binary_text() const {
  Int128 mantissa = nano_ / kBillion;
  std::size_t suffix = 0;
  while (suffix + 1 < kBinary.size() && mantissa % 1024 == 0) {
    mantissa /= 1024;
    ++suffix;
  }
  return int_text(mantissa).append(kBinary.at(suffix));
}

std::int64_t Quantity::divided(std::int64_t unit) const {
  Int128 value = nano_ / unit;
  const Int128 rest = nano_ % unit;
  if (rest > 0) ++value;
  if (rest < 0) --value;
  constexpr Int128 kMin = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::clamp(value, kMin, kMaxWhole));
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (nano_ == 0) form_ = other.form_;
  nano_ += other.nano_;
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  if (nano_ == 0) form_ = other.form_;
  nano_ -= other.nano_;
  return *this;
}

}  // namespace troupe
