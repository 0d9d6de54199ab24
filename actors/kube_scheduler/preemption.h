// Whom to evict so that a pod fits: kube-scheduler's DefaultPreemption, as a pure function of a
// snapshot.
//
// Only nodes that refused the pod for something that evictions can cure are tried, a sample of them
// from a random start. On each, all less important pods are taken away and given back one by one,
// those that a disruption budget protects first; what cannot be given back are the victims. The
// node whose victims matter least wins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/kube_scheduler/nominator.h"
#include "actors/scheduling/filters.h"
#include "messages/k8s/policy.pb.h"

namespace troupe::kube_scheduler {

using Budgets = std::vector<std::shared_ptr<const k8s::PodDisruptionBudget>>;

struct PreemptionInput {
  const scheduling::PodInfo& pod;
  const scheduling::Snapshot& snapshot;
  std::span<const scheduling::Rejection> rejections;  ///< one for each node of the snapshot
  const Nominator& nominator;
  const Budgets& budgets;
  std::function<std::uint64_t()> draw;  ///< random bits for the first node to try
};

struct Preemption {
  std::string node;                         ///< empty: evictions do not help
  std::vector<scheduling::PodPtr> victims;  ///< the most important first
  /// Less important pods that were waiting for this node: their nomination is withdrawn.
  std::vector<scheduling::PodPtr> displaced;
  std::string message;    ///< "preemption: ..." where node is empty
  /// No node can be cleared, so the pod loses its nomination; one that may not preempt just now keeps it.
  bool gives_up = false;
  std::size_t tried = 0;  ///< nodes on which victims were sought
};

[[nodiscard]] Preemption preempt(const PreemptionInput& input);

/// True of a pod that is being deleted because it was preempted.
[[nodiscard]] bool is_preempted(const k8s::Pod& pod);

}  // namespace troupe::kube_scheduler
