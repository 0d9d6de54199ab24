// Preferred pod affinity: the weights of the terms that match pods in a node's domains, in both
// directions (Kubernetes, pkg/scheduler/framework/plugins/interpodaffinity/scoring.go).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduling/snapshot.h"

namespace troupe::kube_scheduler {

class AffinityScore {
 public:
  AffinityScore(const scheduling::PodInfo& pod, const scheduling::Snapshot& snapshot);

  [[nodiscard]] bool empty() const { return domains_.empty(); }
  /// The scores of the feasible nodes in their order, 0 to 100.
  [[nodiscard]] std::vector<std::int64_t> normalized(std::span<const std::size_t> feasible) const;

 private:
  void add_own(const scheduling::NodeInfo& node);
  void add_of_others(const scheduling::NodeInfo& node);
  void add(const scheduling::NodeFacts& node, const std::string& key, std::int64_t weight);

  const scheduling::PodInfo* pod_;
  const scheduling::Snapshot* snapshot_;
  std::map<std::pair<std::string, std::string>, std::int64_t> domains_;
};

}  // namespace troupe::kube_scheduler
