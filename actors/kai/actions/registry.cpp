#include "actors/kai/actions/registry.h"

#include "actors/kai/actions/allocate.h"
#include "actors/kai/actions/stale_gang_eviction.h"

namespace troupe::kai {

std::vector<std::unique_ptr<Action>> make_actions() {
  std::vector<std::unique_ptr<Action>> actions;
  actions.push_back(std::make_unique<Allocate>());           // pending jobs on idle or vacated room
  actions.push_back(std::make_unique<StaleGangEviction>());  // gangs that lost members for too long
  return actions;
}

}  // namespace troupe::kai
