#include "actors/serving/gap_histogram.h"

#include <algorithm>
#include <bit>

namespace troupe::serving {
namespace {

constexpr int kSubBits = 6;  // 64 buckets for each doubling
constexpr std::int64_t kSub = 1 << kSubBits;

}  // namespace

std::int64_t GapSeries::steps_within(std::int64_t bound_ns) const {
  const Wide room = (static_cast<Wide>(bound_ns) + 1) * kFsPerNs - 1 - first_fs;
  if (room < 0) return 0;
  if (growth_fs == 0) return steps;
  return static_cast<std::int64_t>(std::min<Wide>(steps, room / growth_fs + 1));
}

GapHistogram::Bucket GapHistogram::bucket_of(std::int64_t ns) {
  if (ns < kSub) return static_cast<Bucket>(ns);
  const auto exponent = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(ns))) - 1;
  const std::int64_t mantissa = (ns >> (exponent - kSubBits)) - kSub;
  return static_cast<Bucket>((exponent - kSubBits + 1) * kSub + mantissa);
}

std::int64_t GapHistogram::upper_ns(Bucket bucket) {
  if (bucket < kSub) return bucket;
  const int shift = static_cast<int>(bucket / kSub) - 1;
  return ((kSub + static_cast<std::int64_t>(bucket % kSub) + 1) << shift) - 1;
}

std::int64_t GapHistogram::middle_ns(Bucket bucket) {
  if (bucket < kSub) return bucket;
  const int shift = static_cast<int>(bucket / kSub) - 1;
  return ((kSub + static_cast<std::int64_t>(bucket % kSub)) << shift) +
         ((std::int64_t{1} << shift) >> 1);
}

void GapHistogram::add(const GapSeries& series) {
  std::int64_t below = 0;
  for (std::int64_t ns = series.first_fs / kFsPerNs; below < series.steps;) {
    const Bucket bucket = bucket_of(ns);
    const std::int64_t within = series.steps_within(upper_ns(bucket));
    if (within > below) {
      counts_[bucket] += static_cast<std::uint64_t>(within - below) * series.tokens;
      below = within;
    }
    ns = upper_ns(bucket) + 1;
  }
}

void TimeHistogram::add(std::int64_t ns) {
  const auto bound = std::ranges::lower_bound(bounds_ns_, ns);
  ++counts_[static_cast<std::size_t>(bound - bounds_ns_.begin())];
  sum_fs_ += static_cast<Wide>(ns) * kFsPerNs;
}

void TimeHistogram::add(const GapSeries& series) {
  std::int64_t below = 0;
  for (std::size_t i = 0; i < bounds_ns_.size() && below < series.steps; ++i) {
    const std::int64_t within = series.steps_within(bounds_ns_[i]);
    counts_[i] += static_cast<std::uint64_t>(within - below) * series.tokens;
    below = within;
  }
  counts_.back() += static_cast<std::uint64_t>(series.steps - below) * series.tokens;
  sum_fs_ += series.total_fs() * static_cast<Wide>(series.tokens);
}

double TimeHistogram::sum_seconds() const {
  const auto us = static_cast<std::int64_t>(sum_fs_ / (1000 * static_cast<Wide>(kFsPerNs)));
  return static_cast<double>(us) / 1e6;
}

}  // namespace troupe::serving
