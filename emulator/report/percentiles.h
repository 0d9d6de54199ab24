// Percentiles by nearest rank: the smallest sample that at least the share of all samples does not
// exceed. No interpolation, so every reported number is one that occurred.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

class Samples {
 public:
  void add(std::int64_t value) { values_.push_back(value); }
  [[nodiscard]] std::size_t count() const { return values_.size(); }
  /// `percent` from 1 to 100. Nothing over no samples.
  [[nodiscard]] std::optional<std::int64_t> percentile(std::uint32_t percent) const;

 private:
  std::vector<std::int64_t> values_;
};

class WeightedSamples {
 public:
  void add(std::int64_t value, std::uint64_t weight);
  [[nodiscard]] std::uint64_t weight() const { return total_; }
  [[nodiscard]] std::optional<std::int64_t> percentile(std::uint32_t percent) const;

 private:
  std::map<std::int64_t, std::uint64_t> weights_;
  std::uint64_t total_ = 0;
};

}  // namespace troupe
