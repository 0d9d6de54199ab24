// What PodDisruptionBudgets say about the pods of a node: Karpenter v1, pkg/utils/pdb/pdb.go.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "messages/k8s/pod.pb.h"
#include "messages/k8s/policy.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

class DisruptionLimits {
 public:
  explicit DisruptionLimits(std::vector<std::shared_ptr<const k8s::PodDisruptionBudget>> budgets)
      : budgets_(std::move(budgets)) {}

  /// The budgets, as "namespace/name", that keep one of the pods from being evicted now: one
  /// without any disruption left, or all of those of a pod that has more than one, which the
  /// eviction API does not support. Empty if none does.
  [[nodiscard]] std::vector<std::string> blocking(
      const std::vector<std::shared_ptr<const k8s::Pod>>& pods, SimTime now) const;
  /// The pod can never be evicted: a budget of it allows no disruption whatever happens.
  [[nodiscard]] bool blocks_for_ever(const k8s::Pod& pod) const;

 private:
  [[nodiscard]] std::vector<const k8s::PodDisruptionBudget*> budgets_of(const k8s::Pod& pod) const;

  std::vector<std::shared_ptr<const k8s::PodDisruptionBudget>> budgets_;
};

}  // namespace troupe::karpenter
