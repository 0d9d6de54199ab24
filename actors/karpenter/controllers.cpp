#include "actors/karpenter/controllers.h"

#include "actors/karpenter/disruption/consolidatable_controller.h"
#include "actors/karpenter/disruption/disruption_controller.h"
#include "actors/karpenter/disruption/expiration.h"
#include "actors/karpenter/garbage_collection/garbage_collector.h"
#include "actors/karpenter/interruption/interruption_controller.h"
#include "actors/karpenter/lifecycle/claim_lifecycle.h"
#include "actors/karpenter/pools/pool_status.h"
#include "actors/karpenter/provisioning/provisioner.h"
#include "actors/karpenter/termination/eviction_queue.h"
#include "actors/karpenter/termination/node_terminator.h"

namespace troupe::karpenter {

std::vector<std::unique_ptr<Controller>> all_controllers(Manager& manager,
                                                         PoolHealthTracker& health) {
  std::vector<std::unique_ptr<Controller>> list;
  list.push_back(std::make_unique<PoolStatus>(manager, health));
  list.push_back(std::make_unique<Provisioner>(manager));
  list.push_back(std::make_unique<ClaimLifecycle>(manager, health));
  auto evictions = std::make_unique<EvictionQueue>(manager);
  list.push_back(std::make_unique<NodeTerminator>(manager, *evictions));
  list.push_back(std::move(evictions));
  list.push_back(std::make_unique<GarbageCollector>(manager));
  if (manager.config.interruption_queue())
    list.push_back(std::make_unique<InterruptionController>(manager));
  // Without them no node is taken away that nobody deletes.
  if (manager.config.disruption()) {
    list.push_back(std::make_unique<ConsolidatableController>(manager));
    list.push_back(std::make_unique<Expiration>(manager));
    list.push_back(std::make_unique<DisruptionController>(manager));
  }
  return list;
}

}  // namespace troupe::karpenter
