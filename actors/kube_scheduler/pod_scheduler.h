// Which node for this pod: one scheduling cycle of kube-scheduler, on a snapshot, without side
// effects on it.
//
// Nodes are examined from where the last cycle stopped, round robin, until enough of them take the
// pod: all of fewer than a hundred, a share that shrinks with the cluster otherwise. Those are
// scored; among the best, chance decides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actors/kube_scheduler/nominator.h"
#include "actors/kube_scheduler/scores.h"
#include "actors/scheduling/filters.h"

namespace troupe::kube_scheduler {

struct PodSchedulerOptions {
  ResourceScoring resources;
  ScoreWeights weights;
  /// percentageOfNodesToScore: 0 is adaptive, 50 - nodes / 125 and at least 5.
  std::uint32_t percentage_of_nodes_to_score = 0;
};

struct SchedulingInput {
  const scheduling::PodInfo& pod;
  const scheduling::Snapshot& snapshot;
  const Nominator& nominator;
  /// Whom the system's default spread constraints count, if the pod belongs to something.
  const std::optional<k8s::LabelSelector>& default_spread;
  std::function<std::uint64_t()> draw;  ///< random bits for ties
};

struct Decision {
  std::string node;                               ///< empty: no node takes the pod
  std::size_t examined = 0;                       ///< nodes that were filtered
  std::size_t feasible = 0;                       ///< of those, nodes that take it
  std::vector<scheduling::Rejection> rejections;  ///< where none does: one for each node, in order
};

class PodScheduler {
 public:
  explicit PodScheduler(PodSchedulerOptions options) : options_(std::move(options)) {}

  Decision decide(const SchedulingInput& input);
  /// How many feasible nodes are enough.
  [[nodiscard]] std::size_t enough_of(std::size_t nodes) const;

 private:
  [[nodiscard]] std::vector<std::size_t> find_feasible(const SchedulingInput& input,
                                                       Decision& decision);
  [[nodiscard]] std::size_t choose(const SchedulingInput& input,
                                   const std::vector<std::size_t>& feasible) const;

  PodSchedulerOptions options_;
  std::size_t next_start_ = 0;
};

/// Filters a node, once with the pods nominated to it that are at least as important, once without.
[[nodiscard]] scheduling::Rejection check_with_nominated(const scheduling::PodInfo& pod,
                                                         const scheduling::NodeInfo& node,
                                                         const scheduling::Filters& filters,
                                                         const Nominator& nominator);

/// "0/9 nodes are available: 1 node(s) were unschedulable, 8 Insufficient cpu."
[[nodiscard]] std::string fit_error(const scheduling::PodInfo& pod,
                                    std::span<const scheduling::Rejection> rejections);

/// The plugins that refused the pod.
[[nodiscard]] scheduling::PluginSet plugins_of(std::span<const scheduling::Rejection> rejections);

}  // namespace troupe::kube_scheduler
