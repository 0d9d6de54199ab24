#include "messages/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "messages/decimal.h"

namespace troupe {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t size;
};

constexpr std::int64_t kMicro = 1'000;
constexpr std::int64_t kMilli = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;

constexpr std::array<Unit, 8> kTimes = {{{"ns", 1},
                                         {"us", kMicro},
                                         {"µs", kMicro},
                                         {"ms", kMilli},
                                         {"s", kSecond},
                                         {"m", kMinute},
                                         {"h", kHour},
                                         {"d", 24 * kHour}}};

constexpr std::int64_t kKilo = 1'000;
constexpr std::int64_t kMega = kKilo * kKilo;
constexpr std::int64_t kGiga = kMega * kKilo;
constexpr std::int64_t kTera = kGiga * kKilo;
constexpr std::int64_t kPeta = kTera * kKilo;

/// From large to small: a size is printed in the first unit that divides it.
constexpr std::array<Unit, 17> kBytes = {{{"PiB", 1LL << 50},
                                          {"PB", kPeta},
                                          {"TiB", 1LL << 40},
                                          {"TB", kTera},
                                          {"GiB", 1LL << 30},
                                          {"GB", kGiga},
                                          {"MiB", 1LL << 20},
                                          {"MB", kMega},
                                          {"KiB", 1LL << 10},
                                          {"kB", kKilo},
                                          {"KB", kKilo},
                                          {"B", 1},
                                          {"Pi", 1LL << 50},
                                          {"Ti", 1LL << 40},
                                          {"Gi", 1LL << 30},
                                          {"Mi", 1LL << 20},
                                          {"Ki", 1LL << 10}}};

constexpr std::array<Unit, 5> kBits = {
    {{"Tbit", kTera}, {"Gbit", kGiga}, {"Mbit", kMega}, {"kbit", kKilo}, {"bit", 1}}};
constexpr std::array<Unit, 5> kBitsPerSecond = {
    {{"Tbps", kTera}, {"Gbps", kGiga}, {"Mbps", kMega}, {"kbps", kKilo}, {"bps", 1}}};

constexpr std::array<Unit, 6> kPeriods = {
    {{"s", 1}, {"sec", 1}, {"m", 60}, {"min", 60}, {"h", 3'600}, {"d", 86'400}}};

void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

std::optional<std::int64_t> size_of(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.size;
  }
  return std::nullopt;
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view what,
                             std::string_view examples) {
  std::string_view rest = text;
  const bool bare = take_decimal(rest) && rest.empty();
  std::string message = "\"" + std::string(text) + "\" ";
  message += bare ? "has no unit" : "is not " + std::string(what);
  return fail(message + ": expected " + std::string(what) + " such as " + std::string(examples));
}

tl::unexpected<Error> refuse_size(std::string_view text, std::string_view unit) {
  return fail("\"" + std::string(text) + "\" is no whole number of " + std::string(unit) +
              " below 2^63");
}

bool is_letter(char c) {
  return c != ' ' && c != '.' && !(c >= '0' && c <= '9');
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

Result<double> take_double(std::string_view& text, std::string_view whole, std::string_view what,
                           std::string_view examples) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value) || value < 0)
    return refuse(whole, what, examples);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  skip_spaces(text);
  return value;
}

/// The value in the first of `units` that divides it.
std::string print_in(std::span<const Unit> units, std::int64_t value) {
  for (const Unit& unit : units) {
    if (value != 0 && value % unit.size == 0)
      return std::to_string(value / unit.size).append(unit.name);
  }
  return "0" + std::string(units.front().name);
}

/// value / size as a decimal without trailing zeros; size is a power of ten.
std::string decimal_text(std::int64_t value, std::int64_t size) {
  std::string text = std::to_string(value / size);
  std::string fraction = std::to_string(value % size + size).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  constexpr std::string_view kWhat = "a duration";
  constexpr std::string_view kExamples = "\"45s\", \"1h30m\" or \"250ms\"";
  if (text == "0") return Duration::zero();
  std::string_view rest = text;
  std::int64_t total = 0;
  do {
    const std::optional<Decimal> number = take_decimal(rest);
    if (!number) return refuse(text, kWhat, kExamples);
    skip_spaces(rest);
    std::size_t length = 0;
    while (length < rest.size() && is_letter(rest[length])) ++length;
    const std::optional<std::int64_t> unit = size_of(kTimes, rest.substr(0, length));
    if (!unit) return refuse(text, kWhat, kExamples);
    const std::optional<std::int64_t> part = exact_product(*number, *unit);
    if (!part || __builtin_add_overflow(total, *part, &total))
      return refuse_size(text, "nanoseconds");
    rest.remove_prefix(length);
    skip_spaces(rest);
  } while (!rest.empty());
  return Duration{total};
}

std::string print_duration(Duration duration) {
  std::int64_t ns = duration.count();
  if (ns == 0) return "0s";
  std::string text = ns < 0 ? "-" : "";
  ns = std::abs(ns);
  if (ns < kMicro) return text + std::to_string(ns) + "ns";
  if (ns < kMilli) return text + decimal_text(ns, kMicro) + "us";
  if (ns < kSecond) return text + decimal_text(ns, kMilli) + "ms";
  if (ns >= kHour) text += std::to_string(ns / kHour) + "h";
  ns %= kHour;
  if (ns >= kMinute) text += std::to_string(ns / kMinute) + "m";
  ns %= kMinute;
  return ns == 0 ? text : text + decimal_text(ns, kSecond) + "s";
}

Result<std::int64_t> parse_bandwidth(std::string_view text) {
  if (text == "0") return 0;
  std::string_view rest = text;
  const std::optional<Decimal> number = take_decimal(rest);
  skip_spaces(rest);
  const bool per_second = rest.ends_with("/s");
  if (per_second) rest.remove_suffix(2);
  std::optional<std::int64_t> unit = size_of(kBits, rest);
  if (!unit && !per_second) unit = size_of(kBitsPerSecond, rest);
  if (!unit && per_second && rest.ends_with('B')) {
    unit = size_of(kBytes, rest);
    if (unit) *unit *= 8;
  }
  if (!number || !unit) return refuse(text, "a bandwidth", "\"200Gbit\", \"25Gbps\" or \"2GB/s\"");
  const std::optional<std::int64_t> bits = exact_product(*number, *unit);
  if (!bits) return refuse_size(text, "bits a second");
  return *bits;
}

std::string print_bandwidth(std::int64_t bits_per_second) {
  return print_in(kBits, bits_per_second);
}

Result<std::int64_t> parse_bytes(std::string_view text) {
  if (text == "0") return 0;
  std::string_view rest = text;
  const std::optional<Decimal> number = take_decimal(rest);
  skip_spaces(rest);
  const std::optional<std::int64_t> unit = size_of(kBytes, rest);
  if (!number || !unit) return refuse(text, "a size", "\"80GiB\", \"20GB\" or \"512B\"");
  const std::optional<std::int64_t> bytes = exact_product(*number, *unit);
  if (!bytes) return refuse_size(text, "bytes");
  return *bytes;
}

std::string print_bytes(std::int64_t bytes) {
  return print_in(kBytes, bytes);
}

Result<double> parse_rate(std::string_view text) {
  constexpr std::string_view kWhat = "a rate";
  constexpr std::string_view kExamples = "\"12/s\" or \"3/min\"";
  if (text == "0") return 0.0;
  std::string_view rest = text;
  const Result<double> count = take_double(rest, text, kWhat, kExamples);
  if (!count) return count;
  if (!rest.starts_with('/')) return refuse(text, kWhat, kExamples);
  rest.remove_prefix(1);
  skip_spaces(rest);
  const std::optional<std::int64_t> seconds = size_of(kPeriods, rest);
  if (!seconds) return refuse(text, kWhat, kExamples);
  return *count / static_cast<double>(*seconds);
}

std::string print_rate(double per_second) {
  for (const Unit& period : {Unit{"s", 1}, Unit{"min", 60}, Unit{"h", 3'600}}) {
    const double count = std::round(per_second * static_cast<double>(period.size));
    if (count / static_cast<double>(period.size) == per_second)
      return shortest(count) + "/" + std::string(period.name);
  }
  return shortest(per_second) + "/s";
}

Result<double> parse_percent(std::string_view text) {
  constexpr std::string_view kWhat = "a percentage";
  constexpr std::string_view kExamples = "\"99%\" or \"12.5%\"";
  std::string_view rest = text;
  const Result<double> value = take_double(rest, text, kWhat, kExamples);
  if (!value) return value;
  if (rest != "%") return refuse(text, kWhat, kExamples);
  return *value / 100.0;
}

std::string print_percent(double share) {
  constexpr double kGrain = 1e6;  // prefer a short text where it means the same number
  const double rounded = std::round(share * 100.0 * kGrain) / kGrain;
  return shortest(rounded / 100.0 == share ? rounded : share * 100.0) + "%";
}

}  // namespace troupe
