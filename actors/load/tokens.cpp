#include "actors/load/tokens.h"

#include <algorithm>
#include <limits>

#include "actors/distribution.h"
#include "actors/fixed_math.h"
#include "actors/random.h"
#include "messages/assert.h"

namespace troupe::load {
namespace {

constexpr std::int64_t kTokensMax = std::numeric_limits<std::uint32_t>::max();

// The inverse of a piecewise linear distribution function.
std::int64_t empirical(const Tokens& tokens, std::uint64_t bits) {
  const auto& points = tokens.probability_ppm();
  TROUPE_ASSERT(points.size() == tokens.quantile_size(), "a quantile without its probability");
  TROUPE_ASSERT(points.size() >= 2, "an empirical distribution needs two points");
  constexpr std::uint64_t kNanoPerPpm =
      1000;  // the draw is finer than the points, to fill the space between
  const auto p = static_cast<std::int64_t>(uniform_below(bits, 1'000'000 * kNanoPerPpm));
  const auto above =
      std::upper_bound(points.begin() + 1, points.end() - 1, p / std::int64_t{kNanoPerPpm},
                       [](std::int64_t draw, std::uint32_t point) { return draw < point; });
  const auto i = static_cast<int>(above - points.begin());
  const std::int64_t from = std::int64_t{points[i - 1]} * std::int64_t{kNanoPerPpm};
  const std::int64_t width = std::int64_t{points[i]} * std::int64_t{kNanoPerPpm} - from;
  const std::int64_t low = tokens.quantile(i - 1);
  if (width <= 0) return low;
  const std::int64_t rise = std::int64_t{tokens.quantile(i)} - low;
  return low + fixed::multiply_divide(rise, p - from, width);
}

std::int64_t unbounded_sample(const Tokens& tokens, std::uint64_t bits) {
  switch (tokens.shape()) {
    case Tokens::UNIFORM:
      return uniform_between(bits, std::min(tokens.a(), tokens.b()),
                             std::max(tokens.a(), tokens.b()));
    case Tokens::LOGNORMAL: {
      if (tokens.a() == 0) return 0;
      // Thousandths of a token, so that the median of a short distribution is not rounded away.
      constexpr std::int64_t kMilli = 1000;
      const std::int64_t p90 = std::max(tokens.a(), tokens.b());
      return (lognormal(bits, tokens.a() * kMilli, p90 * kMilli) + kMilli / 2) / kMilli;
    }
    case Tokens::EMPIRICAL:
      return empirical(tokens, bits);
    default:
      return tokens.a();
  }
}

}  // namespace

std::uint32_t sample_tokens(const Tokens& tokens, std::uint64_t bits) {
  const std::int64_t most = tokens.maximum() == 0 ? kTokensMax : std::int64_t{tokens.maximum()};
  const std::int64_t least = std::max<std::int64_t>(tokens.minimum(), 1);
  return static_cast<std::uint32_t>(
      std::max(std::min(unbounded_sample(tokens, bits), most), least));
}

}  // namespace troupe::load
