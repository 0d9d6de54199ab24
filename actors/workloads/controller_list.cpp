#include "actors/workloads/controller_list.h"

#include "actors/workloads/deployment/controller.h"
#include "actors/workloads/garbage_collector/controller.h"
#include "actors/workloads/node_lifecycle/controller.h"
#include "actors/workloads/pod_gc/controller.h"
#include "actors/workloads/replica_set/controller.h"
#include "actors/workloads/taint_eviction/controller.h"

namespace troupe::workloads {
namespace {

/// kube-controller-manager: --concurrent-deployment-syncs and its like.
constexpr std::uint32_t kWorkers = 5;
/// pkg/controller/nodelifecycle/scheduler: UpdateWorkerSize.
constexpr std::uint32_t kNodeWorkers = 8;

}  // namespace

std::vector<std::unique_ptr<Controller>> all_controllers(
    SharedInformers& informers, const hosts::WorkloadControllersConfig& config,
    const hosts::NodeLifecycleConfig& nodes) {
  std::vector<std::unique_ptr<Controller>> list;
  // Client 0 is that of the informers.
  const auto options = [&](std::uint32_t workers) {
    return controller_options(config, static_cast<std::uint32_t>(list.size()) + 1, workers);
  };
  const auto node_options = [&] {
    ControllerOptions own = options(kNodeWorkers);
    const std::uint32_t channel = own.client.channel;
    if (nodes.has_client()) own.client = ApiClientOptions::of(nodes.client());
    own.client.channel = channel;
    own.workers = kNodeWorkers;
    return own;
  };
  list.push_back(std::make_unique<DeploymentController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<ReplicaSetController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<NodeLifecycleController>(informers, node_options(),
                                                           node_lifecycle_options(nodes)));
  list.push_back(std::make_unique<TaintEvictionController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<PodGcController>(informers, options(kWorkers),
                                                   config.terminated_pod_threshold()));
  list.push_back(std::make_unique<GarbageCollector>(informers, options(kWorkers)));
  return list;
}

}  // namespace troupe::workloads
