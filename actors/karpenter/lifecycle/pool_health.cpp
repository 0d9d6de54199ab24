#include "actors/karpenter/lifecycle/pool_health.h"

#include <algorithm>

namespace troupe::karpenter {

PoolHealth PoolHealthTracker::record(const std::string& pool, bool success) {
  std::deque<bool>& outcomes = outcomes_[pool];
  outcomes.push_back(success);
  if (outcomes.size() > kRemembered) outcomes.pop_front();
  return health_of(pool);
}

PoolHealth PoolHealthTracker::health_of(const std::string& pool) const {
  const auto at = outcomes_.find(pool);
  if (at == outcomes_.end() || at->second.empty()) return PoolHealth::Unknown;
  const auto failures = static_cast<std::size_t>(std::ranges::count(at->second, false));
  return failures > kFailuresAllowed ? PoolHealth::Unhealthy : PoolHealth::Healthy;
}

}  // namespace troupe::karpenter
