#include "emulator/conformance/fair_share_unit.h"

#include <set>
#include <vector>

#include "actors/kai/queue_info.h"
#include "emulator/conformance/kai_queue.h"

namespace troupe::conformance {

void check_fair_share_input(const config::FairShareUnitInput& input, config::Problems& problems) {
  check_gpus("gpus", input.gpus(), problems);
  std::set<std::string> names;
  std::set<std::string> parents;
  for (int i = 0; i < input.queues_size(); ++i) {
    const config::FairShareQueue& queue = input.queues(i);
    const std::string path = "queues[" + std::to_string(i) + "]";
    if (!queue.parent().empty() && !names.contains(queue.parent())) {
      problems.add(path + ".parent", "expected one of the queues above");
    }
    if (!names.insert(queue.name()).second) {
      problems.add(path + ".name", "a queue '" + queue.name() + "' is there already");
    }
    parents.insert(queue.parent());
    check_gpus(path + ".quota", queue.quota(), problems);
    check_gpus(path + ".limit", queue.limit(), problems);
    check_gpus(path + ".weight", queue.weight(), problems);
    check_gpus(path + ".request", queue.request(), problems);
  }
  for (int i = 0; i < input.queues_size(); ++i) {
    if (input.queues(i).request() == 0 || !parents.contains(input.queues(i).name())) continue;
    problems.add("queues[" + std::to_string(i) + "].request",
                 "jobs are in queues without children");
  }
}

config::FairShareUnitOutput run_fair_share(const config::FairShareUnitInput& input,
                                           const std::string& /*profile*/,
                                           const config::FairShareUnitOutput& /*expected*/) {
  std::vector<kai::QueueSettings> settings;
  for (const config::FairShareQueue& queue : input.queues()) {
    QueueRow row{queue.name(), queue.parent(), queue.quota()};
    if (queue.has_limit()) row.limit = queue.limit();
    row.weight = queue.has_weight() ? queue.weight() : 1;
    if (queue.has_priority()) row.priority = queue.priority();
    settings.push_back(queue_settings(row, settings.size()));
  }
  kai::QueueForest forest(settings);
  for (const config::FairShareQueue& queue : input.queues()) {
    kai::Quantities request;
    request[kai::Resource::Gpu] = milli_gpus(queue.request());
    forest.add_request(*forest.find(queue.name()), request);
  }
  kai::Quantities total;
  total[kai::Resource::Gpu] = milli_gpus(input.gpus());
  forest.divide(total);

  config::FairShareUnitOutput output;
  for (const auto& [name, queue] : forest.all()) {
    config::FairShareOfQueue& share = *output.add_shares();
    share.set_queue(name);
    share.set_share(static_cast<double>(queue.share(kai::Resource::Gpu).fair_share) /
                    static_cast<double>(kai::unit_of(kai::Resource::Gpu)));
  }
  return output;
}

}  // namespace troupe::conformance
