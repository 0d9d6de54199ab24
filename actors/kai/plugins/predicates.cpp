#include "actors/kai/plugins/predicates.h"

namespace troupe::kai {

void Predicates::open(Session& session) {
  session.hooks().predicates.emplace_back([&session](const Task& task,
                                                     const scheduling::Filters& filters,
                                                     const NodeState& node) -> std::string {
    if (const auto error = session.over_capacity(*task.job, task.quantities())) {
      return "node does not have enough capacity. Reason: " + error->reason +
             ", Details: " + error->message;
    }
    const scheduling::NodeInfo& info = session.info(node);
    if (!info.facts().ready) return "node(s) were not ready";
    const scheduling::Rejection rejection = filters.check_all_but_resources(info);
    return rejection ? reasons_of(rejection, task.pod()).front() : std::string();
  });
}

}  // namespace troupe::kai
