// How long clients waited from one output token to the next, over all tokens of an engine.
//
// Buckets are spaced by the logarithm: 64 to each doubling, so a gap is known to within 0.8 %
// however long it is. A run of identical steps is one call: its gaps grow linearly, and how many
// fall into a bucket is a division.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "actors/serving/fine_time.h"

namespace troupe::serving {

/// Gaps of steps that follow each other: first_fs, first_fs + growth_fs, ...; each was felt by
/// `tokens` tokens.
struct GapSeries {
  std::int64_t first_fs = 0;
  std::int64_t growth_fs = 0;  ///< 0 or more
  std::int64_t steps = 0;
  std::uint64_t tokens = 0;

  /// How many of the steps took at most `bound_ns`, whole nanoseconds, fractions dropped.
  [[nodiscard]] std::int64_t steps_within(std::int64_t bound_ns) const;
  /// The sum of the steps' gaps.
  [[nodiscard]] Wide total_fs() const {
    return static_cast<Wide>(first_fs) * steps +
           static_cast<Wide>(growth_fs) * steps * (steps - 1) / 2;
  }
  [[nodiscard]] std::int64_t last_ns() const {
    return static_cast<std::int64_t>((first_fs + static_cast<Wide>(growth_fs) * (steps - 1)) /
                                     kFsPerNs);
  }
};

class GapHistogram {
 public:
  using Bucket = std::uint32_t;

  void add(const GapSeries& series);
  void clear() { counts_.clear(); }
  [[nodiscard]] bool empty() const { return counts_.empty(); }
  /// Tokens by bucket, in order.
  [[nodiscard]] const std::map<Bucket, std::uint64_t>& counts() const { return counts_; }

  /// The bucket of a gap in nanoseconds, 0 or more.
  [[nodiscard]] static Bucket bucket_of(std::int64_t ns);
  /// The largest gap of a bucket, ns.
  [[nodiscard]] static std::int64_t upper_ns(Bucket bucket);
  /// What stands for a bucket's gaps: its middle, ns, at most 0.8 % off.
  [[nodiscard]] static std::int64_t middle_ns(Bucket bucket);

 private:
  std::map<Bucket, std::uint64_t> counts_;
};

/// A Prometheus histogram of lengths of time.
class TimeHistogram {
 public:
  /// Upper bounds in nanoseconds, ascending; they outlive the histogram.
  explicit TimeHistogram(std::span<const std::int64_t> bounds_ns)
      : bounds_ns_(bounds_ns), counts_(bounds_ns.size() + 1) {}

  void add(std::int64_t ns);
  void add(const GapSeries& series);

  [[nodiscard]] std::span<const std::int64_t> bounds_ns() const { return bounds_ns_; }
  /// Observations at or below each bound and above the one before; the last entry is above all.
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }
  [[nodiscard]] double sum_seconds() const;

 private:
  std::span<const std::int64_t> bounds_ns_;
  std::vector<std::uint64_t> counts_;
  Wide sum_fs_ = 0;
};

}  // namespace troupe::serving
