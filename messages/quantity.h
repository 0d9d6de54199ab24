// Kubernetes quantities: "500m", "80Gi", "2e3", "8".
//
// CPU is asked for in thousandths and memory in binary multiples, and a sum of both forms must come
// out exact: a scheduler that rounds places one pod too many. So a quantity is a whole number of
// billionths in 128 bits, which holds every value that Kubernetes admits (up to 2^63 - 1, down to
// 1n). It remembers in which form it was written, and prints as Kubernetes does: no fraction, the
// largest suffix that is exact.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "messages/int128.h"
#include "messages/result.h"

namespace troupe {

class Quantity {
 public:
  enum class Form : std::uint8_t { DecimalSi, BinarySi, DecimalExponent };

  constexpr Quantity() = default;

  /// What is finer than 1n is rounded away from zero, as in Kubernetes; what exceeds 2^63 - 1 is
  /// refused.
  static Result<Quantity> parse(std::string_view text);
  static constexpr Quantity milli(std::int64_t value) {
    return {static_cast<Int128>(value) * kNanoPerMilli, Form::DecimalSi};
  }
  static constexpr Quantity whole(std::int64_t value, Form form = Form::DecimalSi) {
    return {static_cast<Int128>(value) * kNanoPerWhole, form};
  }

  /// Thousandths, rounded away from zero; the nearest end of the range where they do not fit.
  [[nodiscard]] std::int64_t to_milli() const { return divided(kNanoPerMilli); }
  /// Units, rounded away from zero.
  [[nodiscard]] std::int64_t to_whole() const { return divided(kNanoPerWhole); }
  [[nodiscard]] bool is_zero() const { return nano_ == 0; }
  /// The canonical text.
  [[nodiscard]] std::string to_string() const;

  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  /// By value, whatever the form: "1024Mi" equals "1Gi".
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.nano_ == b.nano_) return std::strong_ordering::equal;
    return a.nano_ < b.nano_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  static constexpr std::int64_t kNanoPerMilli = 1'000'000;
  static constexpr std::int64_t kNanoPerWhole = 1'000'000'000;

  constexpr Quantity(Int128 nano, Form form) : nano_(nano), form_(form) {}
  [[nodiscard]] std::int64_t divided(std::int64_t unit) const;
  [[nodiscard]] std::string decimal_text() const;
  [[nodiscard]] std::string binary_text() const;

  Int128 nano_ = 0;
  Form form_ = Form::DecimalSi;
};

}  // namespace troupe
