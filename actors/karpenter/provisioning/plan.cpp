#include "actors/karpenter/provisioning/plan.h"

#include <utility>

#include "actors/workloads/objects/pods.h"

namespace troupe::karpenter {
namespace {

SimulationInput input_of(const Manager& manager, std::size_t max_attempts) {
  SimulationInput input{.pools = manager.all_pools(), .types = manager.catalogue().types()};
  for (StateNode& node : manager.state.nodes()) {
    if (!node.is_leaving()) input.nodes.push_back(std::move(node));
  }
  input.bound = manager.state.bound_pods();
  for (const auto& [path, set] : manager.daemon_sets.cache()) {
    input.daemons.push_back(std::make_shared<const k8s::Pod>(
        pod_of(set->spec().template_(), set->metadata().namespace_())));
  }
  if (manager.config.ignore_preferences()) input.preferences = PreferencePolicy::Ignore;
  if (manager.config.min_values_best_effort()) input.min_values = MinValuesPolicy::BestEffort;
  input.max_types = manager.profile.max_instance_types;
  input.max_attempts = max_attempts;
  return input;
}

std::string place_of(const StateNode& node) {
  std::string where;
  if (node.claim != nullptr) where = "nodeclaim/" + node.claim->metadata().name();
  if (node.node != nullptr) {
    where += (where.empty() ? "node/" : ", node/") + node.node->metadata().name();
  }
  return where;
}

}  // namespace

ProvisioningPlan plan_nodes(const Manager& manager, std::vector<SimulatedPod> pods,
                            std::size_t max_attempts) {
  ProvisioningPlan plan;
  Simulation simulation(input_of(manager, max_attempts));
  if (!simulation.has_pools()) return plan;
  SimulationResult result = simulation.solve(std::move(pods));
  for (const PlannedClaim& claim : result.claims) {
    plan.nodes.push_back({claim.to_claim(), claim.pool_template().name(), claim.pods()});
  }
  for (const ExistingNode& node : result.nodes) {
    if (node.pods().empty()) continue;
    plan.nominations.push_back({node.node().provider_id(), place_of(node.node()), node.pods()});
  }
  plan.failures = std::move(result.failures);
  plan.pools_without_types = simulation.pools_without_types();
  plan.attempts = result.attempts;
  return plan;
}

}  // namespace troupe::karpenter
