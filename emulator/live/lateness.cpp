#include "emulator/live/lateness.h"

#include <algorithm>
#include <bit>

#include "actors/distribution.h"

namespace troupe::live {
namespace {

constexpr unsigned kSubBits = 3;
constexpr std::uint64_t kSub = 1U << kSubBits;

std::size_t bucket_of(std::uint64_t value) {
  if (value < kSub) return static_cast<std::size_t>(value);
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
  return (std::size_t{shift} + 1) * kSub + static_cast<std::size_t>((value >> shift) - kSub);
}

// The largest value of a bucket.
std::uint64_t upper_edge(std::size_t bucket) {
  if (bucket < kSub) return bucket;
  const auto shift = static_cast<unsigned>(bucket / kSub - 1);
  return ((kSub + bucket % kSub + 1) << shift) - 1;
}

}  // namespace

void LatenessHistogram::add(Duration lateness, std::uint64_t count) {
  add_bucket(bucket_of(static_cast<std::uint64_t>(std::max(Duration::zero(), lateness).count())),
             count);
}

void LatenessHistogram::add_bucket(std::size_t bucket, std::uint64_t count) {
  counts_.at(bucket) += count;
  total_ += count;
}

std::optional<Duration> LatenessHistogram::percentile(std::uint32_t percent) const {
  if (total_ == 0) return std::nullopt;
  const std::uint64_t rank = (total_ * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen >= rank) return Duration(static_cast<std::int64_t>(upper_edge(i)));
  }
  return std::nullopt;
}

LatenessHistogram LatenessHistogram::since(const LatenessHistogram& earlier) const {
  LatenessHistogram difference;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    difference.add_bucket(i, counts_[i] - earlier.counts_[i]);
  }
  return difference;
}

Duration tolerable(const Distribution& latency) {
  constexpr std::uint64_t kMedian = std::uint64_t{1} << 63;
  return sample(latency, kMedian) / 10;
}

}  // namespace troupe::live
