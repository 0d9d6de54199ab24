// How late deliveries are in a live run: stamp minus due, in virtual time, by class of latency.
//
// Where a machine cannot keep up with the speed it is asked for, messages come later than their
// latency says, and the run shows races that the real cluster would not have. So lateness is
// measured, kept in log-linear buckets that processes can add up, and compared with the latency of
// the class itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "messages/distribution.pb.h"
#include "messages/link.h"
#include "messages/sim_time.h"

namespace troupe::live {

/// Eight buckets for each power of two: a percentile is exact to an eighth.
class LatenessHistogram {
 public:
  static constexpr std::size_t kBuckets = 512;

  void add(Duration lateness, std::uint64_t count = 1);
  void add_bucket(std::size_t bucket, std::uint64_t count);
  [[nodiscard]] std::uint64_t count() const { return total_; }
  /// The upper edge of the bucket in which that share of all lies; `percent` from 1 to 100.
  /// Nothing without samples.
  [[nodiscard]] std::optional<Duration> percentile(std::uint32_t percent) const;
  [[nodiscard]] const std::array<std::uint64_t, kBuckets>& buckets() const { return counts_; }
  /// What came since `earlier`, which this one has grown from.
  [[nodiscard]] LatenessHistogram since(const LatenessHistogram& earlier) const;

 private:
  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t total_ = 0;
};

/// The links, and the timers that actors set themselves.
inline constexpr std::size_t kTimers = kLinkNames.size();
inline constexpr std::size_t kClasses = kLinkNames.size() + 1;
[[nodiscard]] constexpr std::string_view class_name(std::size_t index) {
  return index == kTimers ? "timer" : kLinkNames[index];
}

/// What a class with that latency bears: a tenth of its median.
[[nodiscard]] Duration tolerable(const Distribution& latency);

using LatenessByClass = std::array<LatenessHistogram, kClasses>;

}  // namespace troupe::live
