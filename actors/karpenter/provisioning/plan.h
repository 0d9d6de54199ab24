// What one round of provisioning decides: the claims to create, the nodes that pods are expected
// on, and the pods that nothing helps.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "actors/karpenter/manager.h"
#include "actors/karpenter/scheduling/simulation.h"

namespace troupe::karpenter {

using PodList = std::vector<std::shared_ptr<const k8s::Pod>>;

/// A claim to create; it refers to nothing that may change until then.
struct PlannedNode {
  NodeClaim claim;
  std::string pool;
  PodList pods;
};

struct ProvisioningPlan {
  struct Nomination {
    std::string provider_id;
    std::string where;  ///< "nodeclaim/x, node/y", as the event says it
    PodList pods;
  };
  std::vector<PlannedNode> nodes;
  std::vector<Nomination> nominations;
  std::vector<SimulationResult::Failure> failures;
  std::vector<std::string> pools_without_types;
  std::size_t attempts = 0;  ///< how often a place was sought for a pod: the measure of the work
};

/// Simulates on what the caches show. `max_attempts`: where it stops and keeps what it has.
[[nodiscard]] ProvisioningPlan plan_nodes(const Manager& manager, std::vector<SimulatedPod> pods,
                                          std::size_t max_attempts);

}  // namespace troupe::karpenter
