#include "messages/timestamp.h"

#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>

#include "messages/int128.h"

namespace troupe {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr sys_days kEpoch{std::chrono::year{2026} / 1 / 1};
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

tl::unexpected<Error> refuse(std::string_view text) {
  return fail("\"" + std::string(text) +
              "\" is not a time: expected RFC 3339 such as \"2026-01-01T00:15:00Z\"");
}

/// Takes exactly `count` digits and, unless it is 0, the separator after them.
std::optional<int> take_field(std::string_view& text, std::size_t count, char separator) {
  if (text.size() < count + (separator != 0 ? 1 : 0)) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  if (separator == 0) return value;
  const char found = text.front() == 't' || text.front() == ' ' ? 'T' : text.front();
  if (found != separator) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
  const auto year = take_field(text, 4, '-');
  const auto month = year ? take_field(text, 2, '-') : std::nullopt;
  const auto day = month ? take_field(text, 2, 'T') : std::nullopt;
  if (!day) return std::nullopt;
  const year_month_day date{std::chrono::year{*year},
                            std::chrono::month{static_cast<unsigned>(*month)},
                            std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return (sys_days{date} - kEpoch).count() * kSecondsPerDay;
}

std::optional<std::int64_t> take_clock(std::string_view& text) {
  const auto hour = take_field(text, 2, ':');
  const auto minute = hour ? take_field(text, 2, ':') : std::nullopt;
  const auto second = minute ? take_field(text, 2, 0) : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return *hour * 3'600 + *minute * 60 + *second;
}

/// The decimals of a second, in nanoseconds; digits beyond the ninth are dropped.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  std::int64_t ns = 0;
  std::int64_t digit = kNsPerSecond / 10;
  const std::size_t size = text.size();
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9';
       text.remove_prefix(1), digit /= 10) {
    ns += (text.front() - '0') * digit;
  }
  if (text.size() == size) return std::nullopt;
  return ns;
}

std::optional<std::int64_t> take_offset(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const char sign = text.front();
  text.remove_prefix(1);
  if (sign == 'Z' || sign == 'z') return 0;
  const auto hour = take_field(text, 2, ':');
  const auto minute = hour ? take_field(text, 2, 0) : std::nullopt;
  if (!minute || (sign != '+' && sign != '-') || *hour > 23 || *minute > 59) return std::nullopt;
  const std::int64_t seconds = *hour * 3'600 + *minute * 60;
  return sign == '+' ? seconds : -seconds;
}

}  // namespace

Result<SimTime> parse_timestamp(std::string_view text) {
  std::string_view rest = text;
  const auto date = take_date(rest);
  const auto clock = date ? take_clock(rest) : std::nullopt;
  const auto fraction = clock ? take_fraction(rest) : std::nullopt;
  const auto offset = fraction ? take_offset(rest) : std::nullopt;
  if (!offset || !rest.empty()) return refuse(text);
  const Int128 ns = static_cast<Int128>(*date + *clock - *offset) * kNsPerSecond + *fraction;
  constexpr Int128 kMax = std::numeric_limits<std::int64_t>::max();
  if (ns > kMax || ns < -kMax)
    return fail("\"" + std::string(text) + "\" is more than 292 years from 2026");
  return from_ns(static_cast<std::int64_t>(ns));
}

std::string print_timestamp(SimTime time) {
  const auto since_epoch = time.time_since_epoch();
  const auto day = std::chrono::floor<days>(since_epoch);
  const year_month_day date{kEpoch + day};
  const std::chrono::hh_mm_ss<Duration> clock{since_epoch - day};
  char buffer[64];
  std::snprintf(
      buffer, sizeof buffer, "%04d-%02u-%02uT%02d:%02d:%02d.%09d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  std::string text = buffer;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "Z";
}

}  // namespace troupe
