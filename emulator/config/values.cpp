#include "emulator/config/values.h"

#include <cmath>

#include "messages/assert.h"
#include "messages/quantity.h"
#include "messages/units.h"

namespace troupe::config {
namespace {

template <class T>
T checked(const Result<T>& parsed, const std::string& text) {
  TROUPE_ASSERT(parsed.has_value(), "'" + text + "' passed the converter and does not parse");
  return *parsed;
}

Duration duration_of(const std::string& text) {
  return checked(parse_duration(text), text);
}

Quantity quantity_of(const std::string& text) {
  return checked(Quantity::parse(text), text);
}

void set(Distribution& result, Distribution::Shape shape, Duration a, Duration b) {
  result.set_shape(shape);
  result.set_a_ns(a.count());
  result.set_b_ns(b.count());
}

}  // namespace

Duration duration_or(const std::string& text, Duration fallback) {
  return text.empty() ? fallback : duration_of(text);
}

std::int64_t bytes_or(const std::string& text, std::int64_t fallback) {
  return text.empty() ? fallback : checked(parse_bytes(text), text);
}

std::int64_t micro_rate(const std::string& text) {
  return text.empty() ? 0 : std::llround(checked(parse_rate(text), text) * 1e6);
}

std::int64_t milli_quantity_or(const std::string& text, std::int64_t fallback) {
  return text.empty() ? fallback : quantity_of(text).to_milli();
}

std::int64_t whole_quantity_or(const std::string& text, std::int64_t fallback) {
  return text.empty() ? fallback : quantity_of(text).to_whole();
}

Distribution constant(Duration value) {
  Distribution result;
  set(result, Distribution::CONSTANT, value, Duration::zero());
  return result;
}

Distribution lognormal(Duration median, Duration p90) {
  Distribution result;
  set(result, Distribution::LOGNORMAL, median, p90);
  return result;
}

Distribution distribution(const Time& time, const std::string& path, Problems& problems) {
  Distribution result;
  const bool uniform = !time.from().empty() || !time.to().empty();
  const bool spread = !time.median().empty() || !time.p90().empty();
  const int shapes = static_cast<int>(!time.constant().empty()) + static_cast<int>(uniform) +
                     static_cast<int>(!time.mean().empty()) + static_cast<int>(spread);
  if (shapes != 1) {
    problems.add(path,
                 "expected exactly one of `constant`, `from` and `to`, `mean`, `median` and `p90`");
    return result;
  }
  if (!time.constant().empty()) {
    result = constant(duration_of(time.constant()));
  } else if (!time.mean().empty()) {
    set(result, Distribution::EXPONENTIAL, duration_of(time.mean()), Duration::zero());
  } else {
    const std::string& low = uniform ? time.from() : time.median();
    const std::string& high = uniform ? time.to() : time.p90();
    if (low.empty() || high.empty() || duration_of(high) < duration_of(low)) {
      problems.add(path, uniform ? "expected `from` and `to`, the second not smaller"
                                 : "expected `median` and `p90`, the second not smaller");
      return result;
    }
    if (!uniform && duration_of(low) == Duration::zero()) {
      problems.add(path, "expected a `median` above zero");
      return result;
    }
    set(result, uniform ? Distribution::UNIFORM : Distribution::LOGNORMAL, duration_of(low),
        duration_of(high));
  }
  result.set_minimum_ns(duration_or(time.minimum(), Duration::zero()).count());
  result.set_maximum_ns(duration_or(time.maximum(), Duration::zero()).count());
  if (result.maximum_ns() != 0 && result.maximum_ns() < result.minimum_ns()) {
    problems.add(path, "expected `maximum` not smaller than `minimum`");
  }
  return result;
}

}  // namespace troupe::config
