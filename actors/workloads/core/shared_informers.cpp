#include "actors/workloads/core/shared_informers.h"

#include <utility>

namespace troupe::workloads {

SharedInformers::SharedInformers(ApiClient& client, ApiClient& operators)
    : pods(client),
      nodes(client),
      replica_sets(client),
      deployments(client),
      stateful_sets(client),
      jobs(client),
      leader_worker_sets(client),
      pytorch_jobs(operators),
      ray_clusters(operators),
      services(client),
      endpoint_slices(client),
      budgets(client) {
  const auto set = [this](const PodPtr& pod) {
    pods_by_owner.set(pod);
    pods_by_node.set(pod);
  };
  pods.on_add([set](Context&, const PodPtr& pod) { set(pod); });
  pods.on_update([set](Context&, const PodPtr&, const PodPtr& pod) { set(pod); });
  pods.on_delete([this](Context&, const PodPtr& pod) {
    pods_by_owner.erase(*pod);
    pods_by_node.erase(*pod);
  });
}

void SharedInformers::start(Context& context) {
  for_each([&](auto& informer) {
    informer.on_synced([this](Context& later) { check_synced(later); });
    informer.start(context);
  });
  pytorch_jobs.start(context);
  ray_clusters.start(context);
}

bool SharedInformers::synced() const {
  return pods.synced() && nodes.synced() && replica_sets.synced() && deployments.synced() &&
         stateful_sets.synced() && jobs.synced() && leader_worker_sets.synced() &&
         services.synced() && endpoint_slices.synced() && budgets.synced();
}

void SharedInformers::check_synced(Context& context) {
  if (synced() && ready_) std::exchange(ready_, nullptr)(context);
}

}  // namespace troupe::workloads
