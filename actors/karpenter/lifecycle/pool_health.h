// Whether the nodes of a pool come up: the last four outcomes of registration.
//
// Half of four failures and the pool's condition NodeRegistrationHealthy turns False; one success
// and it is True again. It informs people and stops nothing. Karpenter v1,
// pkg/state/nodepoolhealth/tracker.go.
#pragma once

#include <deque>
#include <map>
#include <string>

namespace troupe::karpenter {

enum class PoolHealth : std::uint8_t { Unknown, Healthy, Unhealthy };

class PoolHealthTracker {
 public:
  static constexpr std::size_t kRemembered = 4;
  static constexpr std::size_t kFailuresAllowed = 1;

  /// Records an outcome for the pool and returns what the pool is now.
  PoolHealth record(const std::string& pool, bool success);
  [[nodiscard]] PoolHealth health_of(const std::string& pool) const;

 private:
  std::map<std::string, std::deque<bool>> outcomes_;
};

}  // namespace troupe::karpenter
