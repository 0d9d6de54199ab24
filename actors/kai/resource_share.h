// What KAI counts for fairness: three resources, in integers, and what a queue has, wants and may
// have of each.
//
// KAI computes in floats of devices, millicores and bytes. Here GPUs are thousandths of a device,
// so that everything is an integer; where KAI rounds to whole units, a unit is 1000 of ours for
// GPUs and 1 for the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "actors/scheduling/resources.h"
#include "messages/int128.h"

namespace troupe::kai {

enum class Resource : std::uint8_t { Cpu, Memory, Gpu };
inline constexpr std::array kResources = {Resource::Cpu, Resource::Memory, Resource::Gpu};

/// No bound, for a quota or a limit.
inline constexpr std::int64_t kUnlimited = -1;
inline constexpr std::int64_t kMilli = 1000;
/// A megabyte of KAI's, in which queues give their memory.
inline constexpr std::int64_t kBytesPerMegabyte = 1'000'000;

/// Milli-CPU, bytes and milli-GPU.
class Quantities {
 public:
  std::int64_t& operator[](Resource resource) { return amounts_[index(resource)]; }
  std::int64_t operator[](Resource resource) const { return amounts_[index(resource)]; }
  Quantities& operator+=(const Quantities& more);
  Quantities& operator-=(const Quantities& less);
  friend bool operator==(const Quantities&, const Quantities&) = default;

 private:
  static constexpr std::size_t index(Resource resource) {
    return static_cast<std::size_t>(resource);
  }
  std::array<std::int64_t, kResources.size()> amounts_{};
};

[[nodiscard]] Quantities quantities_of(const scheduling::Resources& resources);

/// Every amount within the other; an unlimited one is within an unlimited one alone.
[[nodiscard]] bool less_or_equal(const Quantities& a, const Quantities& b);
/// Every amount strictly below the other.
[[nodiscard]] bool all_less(const Quantities& a, const Quantities& b);

/// A non-negative fraction, compared exactly.
struct Fraction {
  Int128 numerator = 0;
  Int128 denominator = 1;

  friend bool operator<(const Fraction& a, const Fraction& b) {
    return a.numerator * b.denominator < b.numerator * a.denominator;
  }
};

/// One resource of one queue.
struct ResourceShare {
  std::int64_t deserved = 0;     ///< the quota
  std::int64_t max_allowed = 0;  ///< the limit
  std::int64_t weight = 0;       ///< over-quota weight, in thousandths
  std::int64_t fair_share = 0;
  std::int64_t allocated = 0;
  std::int64_t allocated_non_preemptible = 0;
  std::int64_t request = 0;  ///< allocated and pending

  /// What it may ask for: its request within its limit.
  [[nodiscard]] std::int64_t requestable() const {
    return max_allowed == kUnlimited ? request : std::min(max_allowed, request);
  }
  /// The larger of quota and fair share, within its limit.
  [[nodiscard]] std::int64_t allocatable() const;
  [[nodiscard]] bool is_satisfied() const {
    return request <= fair_share || (max_allowed != kUnlimited && max_allowed <= fair_share);
  }
};

/// How many of our integers are one unit of KAI's.
[[nodiscard]] constexpr std::int64_t unit_of(Resource resource) {
  return resource == Resource::Gpu ? 1000 : 1;
}

}  // namespace troupe::kai
