// Preferred topology spread: fewer matching pods in a node's domains make a better node
// (Kubernetes, pkg/scheduler/framework/plugins/podtopologyspread/scoring.go).
//
// A pod without constraints of its own gets the system's: over hosts and over zones, against the
// pods that its Service or its ReplicaSet selects. That is what spreads the replicas of a
// Deployment by default.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/scheduling/topology_spread.h"

namespace troupe::kube_scheduler {

class SpreadScore {
 public:
  /// `feasible` are the nodes to be scored. `default_selector`: whom the system's constraints
  /// count, if there are such.
  SpreadScore(const scheduling::PodInfo& pod, const scheduling::Snapshot& snapshot,
              std::span<const std::size_t> feasible,
              const std::optional<k8s::LabelSelector>& default_selector);

  [[nodiscard]] bool empty() const { return constraints_.empty(); }
  /// The scores of the feasible nodes in their order, 0 to 100.
  [[nodiscard]] std::vector<std::int64_t> normalized() const { return scores_; }

 private:
  struct Soft {
    scheduling::SpreadConstraint constraint;
    bool per_host = false;
    std::map<std::string, std::int64_t> domains;  ///< only values that a feasible node has
    std::int64_t weight_q32 = 0;
  };

  void choose_constraints(const std::optional<k8s::LabelSelector>& default_selector);
  void find_domains(std::span<const std::size_t> feasible);
  void count_pods();
  void score(std::span<const std::size_t> feasible);
  void normalize(std::int64_t least, std::int64_t most);
  [[nodiscard]] bool lacks_key(const scheduling::NodeFacts& node) const;

  const scheduling::PodInfo* pod_;
  const scheduling::Snapshot* snapshot_;
  std::vector<Soft> constraints_;
  bool requires_all_keys_ = true;
  std::size_t ignored_ = 0;
  std::vector<std::int64_t> scores_;
};

}  // namespace troupe::kube_scheduler
