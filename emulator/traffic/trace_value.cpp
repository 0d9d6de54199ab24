#include "emulator/traffic/trace_value.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "messages/timestamp.h"

namespace troupe::traffic {
namespace {

// Correctly rounded, so the same everywhere; no infinity and no NaN.
std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string found(std::string_view text) {
  constexpr std::size_t kShown = 40;
  if (text.empty()) return ", found nothing";
  const bool is_long = text.size() > kShown;
  return ", found \"" + std::string(text.substr(0, kShown)) + (is_long ? "...\"" : "\"");
}

}  // namespace

Result<Duration> checked_offset(double value, Duration unit, std::string_view text) {
  if (value < 0) return fail("expected a time of 0 or later" + found(text));
  const double ns = std::round(value * static_cast<double>(unit.count()));
  if (ns > static_cast<double>(kSpanMax.count()))
    return fail("expected a time within ten years" + found(text));
  return Duration{static_cast<std::int64_t>(ns)};
}

Result<Duration> parse_offset(std::string_view text, Duration unit) {
  const std::optional<double> value = number_of(text);
  if (!value) return fail("expected a number" + found(text));
  return checked_offset(*value, unit, text);
}

Result<Duration> parse_date(std::string_view text) {
  constexpr std::size_t kDateLength = 10;  // "2023-11-16"
  std::string date(text);
  if (date.size() > kDateLength && date[kDateLength] == ' ') date[kDateLength] = 'T';
  const std::string_view clock = std::string_view(date).substr(std::min(date.size(), kDateLength));
  if (clock.find_first_of("Zz+-") == std::string_view::npos) date += 'Z';
  const Result<SimTime> time = parse_timestamp(date);
  if (!time) return fail("expected a time like \"2023-11-16 18:15:46.68\"" + found(text));
  return time->time_since_epoch();
}

Result<std::uint32_t> checked_tokens(double value, std::string_view text) {
  if (value < 0) return fail("expected a number of tokens, 0 or more" + found(text));
  if (value != std::floor(value)) return fail("expected a whole number of tokens" + found(text));
  if (value > kTokensMax) {
    return fail("expected at most " + std::to_string(kTokensMax) + " tokens" + found(text));
  }
  return static_cast<std::uint32_t>(value);
}

Result<std::uint32_t> parse_tokens(std::string_view text) {
  const std::optional<double> value = number_of(text);
  if (!value) return fail("expected a number of tokens" + found(text));
  return checked_tokens(*value, text);
}

}  // namespace troupe::traffic
