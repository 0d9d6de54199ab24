// The values in a trace's columns. A failure says what was expected and what was found.
#pragma once

#include <cstdint>
#include <string_view>

#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe::traffic {

/// A prompt or an answer is at most this long: a hundred times the longest context window on offer.
inline constexpr std::uint32_t kTokensMax = 100'000'000;
/// A trace spans at most this: ten years.
inline constexpr Duration kSpanMax = std::chrono::hours(24 * 3652);

/// A time since the file's own zero, not negative, rounded to a nanosecond; `unit` is what its
/// number counts.
[[nodiscard]] Result<Duration> parse_offset(std::string_view text, Duration unit);
[[nodiscard]] Result<Duration> checked_offset(double value, Duration unit, std::string_view text);
/// "2023-11-16 18:15:46.6805900" or with T, Z or an offset; without a zone it is taken as UTC.
/// Relative to some date.
[[nodiscard]] Result<Duration> parse_date(std::string_view text);
/// A number of tokens, 0 to kTokensMax; "374.0" is one too.
[[nodiscard]] Result<std::uint32_t> parse_tokens(std::string_view text);
[[nodiscard]] Result<std::uint32_t> checked_tokens(double value, std::string_view text);

}  // namespace troupe::traffic
