// Pod affinity and anti-affinity that must hold, in both directions: what the pod wants of those
// that are there, and what those that are there refuse (Kubernetes,
// pkg/scheduler/framework/plugins/interpodaffinity/filtering.go).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduling/rejection.h"
#include "actors/scheduling/snapshot.h"

namespace troupe::scheduling {

class AffinityFilter {
 public:
  AffinityFilter(const PodInfo& pod, const Snapshot& snapshot);

  /// True if neither side has a term: nothing to check.
  [[nodiscard]] bool empty() const { return terms_ == nullptr && refused_.empty(); }
  [[nodiscard]] Rejection check(const NodeFacts& node) const;
  /// A pod comes to (+1) or leaves (-1) that node while a placement is tried.
  void update(const PodInfo& other, const NodeFacts& node, int delta);

 private:
  /// Matching pods by (topology key, value).
  using DomainCounts = std::map<std::pair<std::string, std::string>, std::int64_t>;

  void count_wanted(const Snapshot& snapshot);
  void count_refused(const PodInfo& other, const NodeFacts& node, std::int64_t delta);
  void count_for_terms(const NodeFacts& node, bool all_affinity, const std::vector<bool>& anti,
                       std::int64_t delta);
  [[nodiscard]] bool matches_all_affinity(const std::string& name_space,
                                          const LabelMap& labels) const;
  [[nodiscard]] bool affinity_holds(const NodeFacts& node) const;

  const PodInfo* pod_;
  const PodAffinityTerms* terms_ = nullptr;
  DomainCounts wanted_;    ///< pods that match all affinity terms
  DomainCounts unwanted_;  ///< pods that match an anti-affinity term
  DomainCounts refused_;   ///< pods whose anti-affinity matches this pod
};

}  // namespace troupe::scheduling
