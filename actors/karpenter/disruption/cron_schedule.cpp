#include "actors/karpenter/disruption/cron_schedule.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::karpenter {
namespace {

struct Range {
  unsigned low;
  unsigned high;
  std::string_view names;  ///< three letters for each value from `low` on; empty if it has no names
};
/// A week has a second name for Sunday: 7.
constexpr std::array<Range, 5> kRanges = {{{0, 59, ""},
                                           {0, 23, ""},
                                           {1, 31, ""},
                                           {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
                                           {0, 7, "sunmontuewedthufrisat"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMacros = {
    {{"@yearly", "0 0 1 1 *"},
     {"@annually", "0 0 1 1 *"},
     {"@monthly", "0 0 1 * *"},
     {"@weekly", "0 0 * * 0"},
     {"@daily", "0 0 * * *"},
     {"@midnight", "0 0 * * *"},
     {"@hourly", "0 * * * *"}}};

/// Time zero of a run: messages/timestamp.h.
constexpr std::chrono::sys_days kEpoch{std::chrono::year{2026} / std::chrono::January / 1};

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(by);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<unsigned> parse_value(std::string_view text, const Range& range) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) {
    return value >= range.low && value <= range.high ? std::optional(value) : std::nullopt;
  }
  constexpr std::size_t kNameLength = 3;
  if (text.size() != kNameLength || range.names.empty()) return std::nullopt;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto at = range.names.find(lower);
  if (at == std::string_view::npos || at % kNameLength != 0) return std::nullopt;
  return range.low + static_cast<unsigned>(at / kNameLength);
}

struct Step {
  unsigned first;
  unsigned last;
  unsigned by;
};

/// "*", "5", "1-5", "*/10", "8-17/2".
std::optional<Step> parse_part(std::string_view text, const Range& range) {
  const auto slash = text.find('/');
  const std::string_view span = text.substr(0, slash);
  Step step{range.low, range.high, 1};
  if (slash != std::string_view::npos) {
    const auto by = parse_value(text.substr(slash + 1), {1, range.high, ""});
    if (!by) return std::nullopt;
    step.by = *by;
  }
  if (span == "*" || span == "?") return step;
  const auto dash = span.find('-');
  const auto first = parse_value(span.substr(0, dash), range);
  if (!first) return std::nullopt;
  step.first = *first;
  if (dash != std::string_view::npos) {
    const auto last = parse_value(span.substr(dash + 1), range);
    if (!last || *last < *first) return std::nullopt;
    step.last = *last;
  } else if (slash == std::string_view::npos) {
    step.last = *first;
  }
  return step;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result = split(text, ' ');
  std::erase(result, std::string_view());
  return result;
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  for (const auto& [macro, meaning] : kMacros) {
    if (text == macro) return parse(meaning);
  }
  const std::vector<std::string_view> parts = words(text);
  if (parts.size() != kFields)
    return fail("a schedule has five fields: \"" + std::string(text) + "\"");
  CronSchedule schedule;
  for (std::size_t i = 0; i < kFields; ++i) {
    for (const std::string_view part : split(parts[i], ',')) {
      const auto step = parse_part(part, kRanges[i]);
      if (!step)
        return fail("cannot read \"" + std::string(part) + "\" of schedule \"" + std::string(text) +
                    "\"");
      for (unsigned value = step->first; value <= step->last; value += step->by)
        schedule.fields_[i].set(value);
    }
  }
  constexpr std::size_t kSundayAgain = 7;
  if (schedule.fields_[4].test(kSundayAgain)) schedule.fields_[4].set(0);
  schedule.any_day_of_month_ = parts[2].starts_with('*') || parts[2] == "?";
  schedule.any_day_of_week_ = parts[4].starts_with('*') || parts[4] == "?";
  return schedule;
}

bool CronSchedule::hits(SimTime minute) const {
  using namespace std::chrono;
  const auto since = floor<minutes>(minute.time_since_epoch());
  const auto day = kEpoch + floor<days>(since);
  const auto time = since - floor<days>(since);
  const year_month_day date{day};
  const auto hour = static_cast<std::size_t>(floor<hours>(time).count());
  const auto in_hour = static_cast<std::size_t>((time - floor<hours>(time)).count());
  if (!fields_[0].test(in_hour) || !fields_[1].test(hour)) return false;
  if (!fields_[3].test(static_cast<unsigned>(date.month()))) return false;
  const bool of_month = fields_[2].test(static_cast<unsigned>(date.day()));
  const bool of_week = fields_[4].test(weekday{day}.c_encoding());
  if (any_day_of_month_ || any_day_of_week_) return of_month && of_week;
  return of_month || of_week;
}

bool CronSchedule::hit_within(Duration window, SimTime now) const {
  using namespace std::chrono;
  const SimTime after = now - window;
  SimTime minute{floor<minutes>(now.time_since_epoch())};
  for (; minute > after; minute -= minutes(1)) {
    if (hits(minute)) return true;
  }
  return false;
}

}  // namespace troupe::karpenter
