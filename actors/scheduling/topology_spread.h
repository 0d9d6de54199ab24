// Topology spread constraints that must hold (DoNotSchedule): no domain may have `maxSkew` more
// matching pods than the emptiest one (Kubernetes,
// pkg/scheduler/framework/plugins/podtopologyspread/filtering.go).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/scheduling/rejection.h"
#include "actors/scheduling/snapshot.h"

namespace troupe::scheduling {

struct SpreadConstraint {
  std::string topology_key;
  k8s::LabelSelector selector;
  bool has_selector = false;  ///< without one, nothing matches
  int max_skew = 1;
  int min_domains = 1;
  bool honor_affinity = true;
  bool honor_taints = false;

  [[nodiscard]] bool matches(const std::string& pod_namespace, const std::string& name_space,
                             const LabelMap& labels) const {
    return has_selector && pod_namespace == name_space && troupe::matches(selector, labels);
  }
};

/// The pod's constraints with that `whenUnsatisfiable`.
[[nodiscard]] std::vector<SpreadConstraint> spread_constraints(const k8s::Pod& pod,
                                                               std::string_view when_unsatisfiable);

/// How many live pods of the node the constraint counts. `memo` says which label classes match.
template <class Memo>
[[nodiscard]] std::int64_t count_matching(const NodeInfo& node, Memo& memo) {
  std::int64_t count = 0;
  for (const NodeInfo::ClassCount& one : node.classes()) {
    if (memo(one.label_class)) count += one.live;
  }
  return count;
}

class SpreadFilter {
 public:
  SpreadFilter(const PodInfo& pod, const Snapshot& snapshot);

  [[nodiscard]] bool empty() const { return constraints_.empty(); }
  [[nodiscard]] Rejection check(const NodeFacts& node) const;
  /// A pod comes to (+1) or leaves (-1) that node while a placement is tried.
  void update(const PodInfo& other, const NodeFacts& node, int delta);

 private:
  struct Counted {
    SpreadConstraint constraint;
    std::map<std::string, std::int64_t> domains;  ///< matching pods by value of the topology key
    int self = 0;                                 ///< 1 if the pod itself matches
  };

  [[nodiscard]] bool counts(const SpreadConstraint& constraint, const NodeFacts& node) const;
  [[nodiscard]] bool has_all_keys(const NodeFacts& node) const;

  const PodInfo* pod_;
  std::vector<Counted> constraints_;
};

}  // namespace troupe::scheduling
