#include "actors/workloads/controller_list.h"

#include "actors/workloads/deployment/controller.h"
#include "actors/workloads/disruption/controller.h"
#include "actors/workloads/disruption/stale_targets.h"
#include "actors/workloads/endpoint_slice/controller.h"
#include "actors/workloads/garbage_collector/controller.h"
#include "actors/workloads/job/controller.h"
#include "actors/workloads/leader_worker_set/controller.h"
#include "actors/workloads/node_lifecycle/controller.h"
#include "actors/workloads/pod_gc/controller.h"
#include "actors/workloads/ray/cluster_plan.h"
#include "actors/workloads/replica_set/controller.h"
#include "actors/workloads/stateful_set/plan.h"
#include "actors/workloads/taint_eviction/controller.h"
#include "actors/workloads/training/pytorch_plan.h"

namespace troupe::workloads {
namespace {

/// kube-controller-manager: --concurrent-deployment-syncs and its like.
constexpr std::uint32_t kWorkers = 5;
/// pkg/controller/nodelifecycle/scheduler: UpdateWorkerSize.
constexpr std::uint32_t kNodeWorkers = 8;
/// Where each deletion is a goroutine of its own, only the client's rate limits them.
constexpr std::uint32_t kAnyNumber = 100'000;
/// --concurrent-gc-syncs.
constexpr std::uint32_t kGarbageWorkers = 20;

}  // namespace

std::vector<std::unique_ptr<Controller>> all_controllers(
    SharedInformers& informers, const hosts::WorkloadControllersConfig& config,
    const hosts::NodeLifecycleConfig& nodes) {
  std::vector<std::unique_ptr<Controller>> list;
  // Client 0 is that of the informers.
  const auto options = [&](std::uint32_t workers) {
    return controller_options(config, static_cast<std::uint32_t>(list.size()) + 1, workers);
  };
  // Those that --concurrent-*-syncs says nothing about.
  const auto fixed_options = [&](std::uint32_t workers) {
    ControllerOptions own = options(workers);
    own.workers = workers;
    return own;
  };
  const auto node_options = [&] {
    ControllerOptions own = fixed_options(kNodeWorkers);
    const std::uint32_t channel = own.client.channel;
    if (nodes.has_client()) own.client = ApiClientOptions::of(nodes.client());
    own.client.channel = channel;
    return own;
  };
  list.push_back(std::make_unique<DeploymentController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<ReplicaSetController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<JobController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<LeaderWorkerSetController>(informers, options(1)));
  list.push_back(std::make_unique<EndpointSliceController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<DisruptionController>(informers, options(1)));
  list.push_back(std::make_unique<StaleTargetsController>(informers, options(1)));
  list.push_back(std::make_unique<NodeLifecycleController>(informers, node_options(),
                                                           node_lifecycle_options(nodes)));
  list.push_back(std::make_unique<TaintEvictionController>(informers, fixed_options(kAnyNumber)));
  list.push_back(std::make_unique<PodGcController>(informers, fixed_options(kAnyNumber),
                                                   config.terminated_pod_threshold()));
  list.push_back(std::make_unique<GarbageCollector>(informers, fixed_options(kGarbageWorkers)));
  list.push_back(std::make_unique<NamedPodsController<k8s::StatefulSet>>(
      informers, informers.stateful_sets, options(kWorkers), "statefulset-controller",
      plan_stateful_set));
  // Operators of their own in life, each with one worker by default.
  list.push_back(std::make_unique<NamedPodsController<kubeflow::PyTorchJob>>(
      informers, informers.pytorch_jobs, fixed_options(1), "pytorchjob-controller",
      plan_pytorch_job));
  list.push_back(std::make_unique<NamedPodsController<ray::RayCluster>>(
      informers, informers.ray_clusters, fixed_options(1), "raycluster-controller",
      plan_ray_cluster));
  return list;
}

}  // namespace troupe::workloads
