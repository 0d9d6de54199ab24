// Kubernetes' IntOrString where it counts things: 3, or "25%" of a total.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/result.h"

namespace troupe {

enum class Rounding : std::uint8_t { Down, Up };

/// An absolute number or a share of a total.
struct IntOrPercent {
  std::int64_t value = 0;
  bool percent = false;

  static Result<IntOrPercent> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  /// The number, or that share of `total`; saturates at the ends of the 64-bit range.
  [[nodiscard]] std::int64_t of(std::int64_t total, Rounding rounding) const;

  friend bool operator==(const IntOrPercent&, const IntOrPercent&) = default;
};

/// Parses and scales in one step; `fallback` is what an unset or malformed field means.
[[nodiscard]] std::int64_t scaled_or(std::string_view text, IntOrPercent fallback,
                                     std::int64_t total, Rounding rounding);

}  // namespace troupe
