// Samples of the distributions that topologies and workloads name, in pure integers.
//
// Each function is an inverse CDF: 64 random bits in, one sample out that grows with them, so one
// draw always costs one index of a stream and changing a distribution shifts no other draw.
// Accuracy: every quantile within 0.1 % of the real one (tested).
#pragma once

#include <cstdint>
#include <optional>

#include "messages/distribution.pb.h"
#include "messages/sim_time.h"

namespace troupe {

/// Log-normal with the given median and 90th percentile, in their unit; both positive. Equal ones
/// give a constant.
class Lognormal {
 public:
  Lognormal(std::int64_t median, std::int64_t p90);
  [[nodiscard]] std::int64_t sample(std::uint64_t bits) const;

 private:
  std::int64_t median_;
  std::int64_t log_median_q32_ = 0;
  std::int64_t deviation_q32_ = 0;  ///< of log2 of the sample; 0 for a constant
};

/// A distribution that is drawn from often: what does not depend on the bits is worked out once.
class Sampler {
 public:
  explicit Sampler(Distribution distribution);
  /// Within the distribution's minimum and maximum, never negative.
  [[nodiscard]] Duration sample(std::uint64_t bits) const;

 private:
  [[nodiscard]] std::int64_t unbounded(std::uint64_t bits) const;

  Distribution distribution_;
  std::optional<Lognormal> lognormal_;
};

/// One sample of `distribution`, as a Sampler gives it.
[[nodiscard]] Duration sample(const Distribution& distribution, std::uint64_t bits);
/// No sample of `distribution` is smaller: what a link's lookahead is made of.
[[nodiscard]] Duration smallest_sample(const Distribution& distribution);

/// Exponential of the given mean (0 to 2^57, cut there), in the mean's unit.
[[nodiscard]] std::int64_t exponential(std::uint64_t bits, std::int64_t mean);
/// One sample of a Lognormal.
[[nodiscard]] std::int64_t lognormal(std::uint64_t bits, std::int64_t median, std::int64_t p90);
/// Pareto: P(X > x) = (minimum / x)^(alpha_milli / 1000), for x >= minimum > 0; cut off at 2^62.
[[nodiscard]] std::int64_t pareto(std::uint64_t bits, std::int64_t minimum,
                                  std::int64_t alpha_milli);

}  // namespace troupe
