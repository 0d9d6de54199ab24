#include "emulator/report/percentiles.h"

#include <algorithm>

namespace troupe {
namespace {

// ceil(percent / 100 * count), at least 1: the rank of the sample, counted from 1.
std::uint64_t rank_of(std::uint32_t percent, std::uint64_t count) {
  return std::max<std::uint64_t>(1, (count * percent + 99) / 100);
}

}  // namespace

std::optional<std::int64_t> Samples::percentile(std::uint32_t percent) const {
  if (values_.empty()) return std::nullopt;
  std::vector<std::int64_t> sorted = values_;
  const auto nth =
      sorted.begin() + static_cast<std::ptrdiff_t>(rank_of(percent, sorted.size()) - 1);
  std::nth_element(sorted.begin(), nth, sorted.end());
  return *nth;
}

void WeightedSamples::add(std::int64_t value, std::uint64_t weight) {
  weights_[value] += weight;
  total_ += weight;
}

std::optional<std::int64_t> WeightedSamples::percentile(std::uint32_t percent) const {
  if (total_ == 0) return std::nullopt;
  const std::uint64_t rank = rank_of(percent, total_);
  std::uint64_t seen = 0;
  for (const auto& [value, weight] : weights_) {
    seen += weight;
    if (seen >= rank) return value;
  }
  return weights_.rbegin()->first;
}

}  // namespace troupe
