// Samples of the distributions that topologies and workloads name, in pure integers.
//
// Each function is an inverse CDF: 64 random bits in, one sample out that grows with them, so one
// draw always costs one index of a stream and changing a distribution shifts no other draw.
// Accuracy: every quantile within 0.1 % of the real one (tested).
#pragma once

#include <cstdint>

#include "messages/distribution.pb.h"
#include "messages/sim_time.h"

namespace troupe {

/// A sample of `distribution`, within its minimum and maximum, never negative.
[[nodiscard]] Duration sample(const Distribution& distribution, std::uint64_t bits);
/// No sample of `distribution` is smaller: what a link's lookahead is made of.
[[nodiscard]] Duration smallest_sample(const Distribution& distribution);

/// Exponential of the given mean (0 to 2^57, cut there), in the mean's unit.
[[nodiscard]] std::int64_t exponential(std::uint64_t bits, std::int64_t mean);
/// Log-normal with the given median and 90th percentile, in their unit; both positive. Equal ones
/// give a constant.
[[nodiscard]] std::int64_t lognormal(std::uint64_t bits, std::int64_t median, std::int64_t p90);
/// Pareto: P(X > x) = (minimum / x)^(alpha_milli / 1000), for x >= minimum > 0; cut off at 2^62.
[[nodiscard]] std::int64_t pareto(std::uint64_t bits, std::int64_t minimum,
                                  std::int64_t alpha_milli);

}  // namespace troupe
