// A node that disruption may take away, with what that would mean.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/karpenter/cloud/instance_catalogue.h"
#include "actors/karpenter/profile.h"
#include "actors/karpenter/state/cluster_state.h"
#include "messages/result.h"

namespace troupe::karpenter {

struct Candidate {
  StateNode node;
  std::shared_ptr<const NodePool> pool;
  std::vector<std::shared_ptr<const k8s::Pod>> reschedulable;
  std::int64_t price_micro_usd_per_hour = 0;
  std::int64_t reschedule_cost =
      0;  ///< in kCostUnit: 1 for the node itself and each positive eviction cost
  bool empty_by_cost = true;

  [[nodiscard]] bool is_empty() const;
};

/// What is needed to judge nodes.
struct CandidateInput {
  const ClusterState& state;
  const InstanceCatalogue& catalogue;
  std::map<std::string, std::shared_ptr<const NodePool>> pools;  ///< by name
  DisruptionLimits limits;
  std::set<std::string> being_disrupted;  ///< provider ids
  Profile profile;
  SimTime now;
};

/// The candidate that a node is, or why it cannot be disrupted, in Karpenter's words; the text is
/// empty where nobody should be told (a node that Karpenter does not manage, or one that a command
/// has already).
[[nodiscard]] Result<Candidate> judge(const StateNode& node, const CandidateInput& input);

}  // namespace troupe::karpenter
