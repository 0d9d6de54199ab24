// The loops of the process, in the order in which they hear of a change.
#pragma once

#include <memory>
#include <vector>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/lifecycle/pool_health.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

[[nodiscard]] std::vector<std::unique_ptr<Controller>> all_controllers(Manager& manager,
                                                                       PoolHealthTracker& health);

}  // namespace troupe::karpenter
