#include "actors/workloads/controller_list.h"

#include "actors/workloads/deployment/controller.h"
#include "actors/workloads/replica_set/controller.h"

namespace troupe::workloads {
namespace {

/// kube-controller-manager: --concurrent-deployment-syncs and its like.
constexpr std::uint32_t kWorkers = 5;

}  // namespace

std::vector<std::unique_ptr<Controller>> all_controllers(
    SharedInformers& informers, const hosts::WorkloadControllersConfig& config,
    const hosts::NodeLifecycleConfig& nodes) {
  (void)nodes;
  std::vector<std::unique_ptr<Controller>> list;
  // Client 0 is that of the informers.
  const auto options = [&](std::uint32_t workers) {
    return controller_options(config, static_cast<std::uint32_t>(list.size()) + 1, workers);
  };
  list.push_back(std::make_unique<DeploymentController>(informers, options(kWorkers)));
  list.push_back(std::make_unique<ReplicaSetController>(informers, options(kWorkers)));
  return list;
}

}  // namespace troupe::workloads
