#include "actors/kai/plugins/registry.h"

#include "actors/kai/plugins/node_scores.h"
#include "actors/kai/plugins/orders.h"
#include "actors/kai/plugins/predicates.h"
#include "actors/kai/plugins/proportion.h"

namespace troupe::kai {

// The order of KAI's default configuration (conf_util, operator priorities): the first opinion
// counts.
std::vector<std::unique_ptr<Plugin>> make_plugins() {
  std::vector<std::unique_ptr<Plugin>> plugins;
  plugins.push_back(std::make_unique<Predicates>());        // may the pod run there at all
  plugins.push_back(std::make_unique<Proportion>());        // queues: order, limits, quotas
  plugins.push_back(std::make_unique<PriorityOrder>());     // jobs of a higher class first
  plugins.push_back(std::make_unique<NodeAvailability>());  // nodes that have room now
  plugins.push_back(std::make_unique<ResourceType>());      // pods without GPU on nodes without
  plugins.push_back(std::make_unique<ElasticOrder>());      // jobs below their minimum first
  plugins.push_back(std::make_unique<SubGroupOrder>());     // pod sets below their minimum first
  plugins.push_back(std::make_unique<TaskOrderPlugin>());   // pods by their own priority
  plugins.push_back(std::make_unique<NominatedNode>());     // where another scheduler made room
  plugins.push_back(std::make_unique<NodePlacement>());     // pack or spread
  return plugins;
}

}  // namespace troupe::kai
