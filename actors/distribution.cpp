#include "actors/distribution.h"

#include <algorithm>
#include <utility>

#include "actors/fixed_math.h"
#include "actors/random.h"
#include "messages/assert.h"

namespace troupe {
namespace {

// A sample is at most 45 means long, which must fit; 2^57 ns are four years.
constexpr std::int64_t kMeanMax = std::int64_t{1} << 57;

// -log2(1 - u) in Q32 for the uniform u = bits / 2^64: 0 to 64, growing with `bits`.
std::int64_t halvings_q32(std::uint64_t bits) {
  if (bits == 0) return 0;
  return 64 * fixed::kOneQ32 - fixed::log2_q32(~bits + 1);
}

std::int64_t within_bounds(const Distribution& distribution, std::int64_t value) {
  if (distribution.maximum_ns() > 0) value = std::min(value, distribution.maximum_ns());
  return std::max({value, distribution.minimum_ns(), std::int64_t{0}});
}

}  // namespace

std::int64_t exponential(std::uint64_t bits, std::int64_t mean) {
  TROUPE_ASSERT(mean >= 0, "a negative mean");
  mean = std::min(mean, kMeanMax);
  const std::int64_t nats = fixed::multiply_q32(halvings_q32(bits), fixed::kLn2Q32);
  return fixed::multiply_q32(nats, mean);
}

Lognormal::Lognormal(std::int64_t median, std::int64_t p90) : median_(median) {
  TROUPE_ASSERT(median > 0, "the median must be positive");
  TROUPE_ASSERT(p90 >= median, "the 90th percentile lies below the median");
  log_median_q32_ = fixed::log2_q32(static_cast<std::uint64_t>(median));
  const std::int64_t spread = fixed::log2_q32(static_cast<std::uint64_t>(p90)) - log_median_q32_;
  deviation_q32_ = fixed::multiply_divide(spread, fixed::kOneQ32, fixed::kNormalP90Q32);
}

std::int64_t Lognormal::sample(std::uint64_t bits) const {
  if (deviation_q32_ == 0) return median_;
  const std::int64_t z = fixed::normal_quantile_q32(bits);
  return fixed::exp2_q32(log_median_q32_ + fixed::multiply_q32(deviation_q32_, z));
}

std::int64_t lognormal(std::uint64_t bits, std::int64_t median, std::int64_t p90) {
  return Lognormal(median, p90).sample(bits);
}

std::int64_t pareto(std::uint64_t bits, std::int64_t minimum, std::int64_t alpha_milli) {
  TROUPE_ASSERT(minimum > 0, "the minimum must be positive");
  TROUPE_ASSERT(alpha_milli > 0, "the exponent must be positive");
  const std::int64_t log_minimum = fixed::log2_q32(static_cast<std::uint64_t>(minimum));
  const std::int64_t growth = fixed::multiply_divide(halvings_q32(bits), 1000, alpha_milli);
  return std::max(minimum, fixed::exp2_q32(log_minimum + growth));
}

Sampler::Sampler(Distribution distribution) : distribution_(std::move(distribution)) {
  if (distribution_.shape() == Distribution::LOGNORMAL && distribution_.a_ns() > 0) {
    lognormal_.emplace(distribution_.a_ns(), std::max(distribution_.a_ns(), distribution_.b_ns()));
  }
}

Duration Sampler::sample(std::uint64_t bits) const {
  return Duration{within_bounds(distribution_, unbounded(bits))};
}

std::int64_t Sampler::unbounded(std::uint64_t bits) const {
  const std::int64_t a = distribution_.a_ns();
  const std::int64_t b = distribution_.b_ns();
  switch (distribution_.shape()) {
    case Distribution::UNIFORM:
      return uniform_between(bits, std::min(a, b), std::max(a, b));
    case Distribution::EXPONENTIAL:
      return exponential(bits, std::max<std::int64_t>(a, 0));
    case Distribution::LOGNORMAL:
      return lognormal_ ? lognormal_->sample(bits) : 0;
    default:
      return a;
  }
}

Duration sample(const Distribution& distribution, std::uint64_t bits) {
  return Sampler(distribution).sample(bits);
}

Duration smallest_sample(const Distribution& distribution) {
  switch (distribution.shape()) {
    case Distribution::UNIFORM:
      return Duration{
          within_bounds(distribution, std::min(distribution.a_ns(), distribution.b_ns()))};
    case Distribution::EXPONENTIAL:
    case Distribution::LOGNORMAL:
      return Duration{within_bounds(distribution, 0)};
    default:
      return Duration{within_bounds(distribution, distribution.a_ns())};
  }
}

}  // namespace troupe
