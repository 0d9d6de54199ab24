// The status of each NodePool: ready or not, what its nodes add up to, and whether they come up.
//
// Karpenter v1, pkg/controllers/nodepool/{readiness,validation,counter,registrationhealth}. Only a
// ready pool takes part in scheduling. What the API server accepted is valid here, and node classes
// are not modelled, so a pool is ready once it was looked at.
#pragma once

#include <string>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/lifecycle/pool_health.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

class PoolStatus final : public KeyedController {
 public:
  /// Changes of nodes and claims within this time are counted together.
  static constexpr Duration kCollect = std::chrono::seconds(1);

  PoolStatus(Manager& manager, const PoolHealthTracker& health);

 protected:
  void reconcile(Context& context, const std::string& name) override;

 private:
  void watch_members();
  void set_conditions(NodePool& pool, SimTime now) const;

  Manager& manager_;
  const PoolHealthTracker& health_;
};

}  // namespace troupe::karpenter
