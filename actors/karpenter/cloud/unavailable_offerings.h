// Offerings that a launch found without capacity, remembered for a while so that the next
// simulation looks elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "messages/sim_time.h"

namespace troupe::karpenter {

class UnavailableOfferings {
 public:
  /// Karpenter for AWS, pkg/cache/cache.go: UnavailableOfferingsTTL.
  static constexpr Duration kTtl = std::chrono::minutes(3);
  /// The same file: DefaultCleanupInterval. Offerings are computed anew only at a sweep, so one
  /// that has expired comes back up to 10 s later.
  static constexpr Duration kSweep = std::chrono::seconds(10);

  struct Key {
    std::string instance_type;
    std::string zone;
    std::string capacity_type;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  /// Unavailable from now on; a repeated mark starts the time anew.
  void mark(const Key& key, SimTime now);
  /// Drops what has expired; true if that was anything.
  bool sweep(SimTime now);
  [[nodiscard]] bool contains(const Key& key) const { return until_.contains(key); }
  [[nodiscard]] bool is_empty() const { return until_.empty(); }

 private:
  std::map<Key, SimTime> until_;
};

}  // namespace troupe::karpenter
