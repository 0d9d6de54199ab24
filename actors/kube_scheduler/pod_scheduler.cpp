#include "actors/kube_scheduler/pod_scheduler.h"

#include <algorithm>
#include <map>

#include "actors/random.h"

namespace troupe::kube_scheduler {
namespace {

using scheduling::Filters;
using scheduling::NodeInfo;
using scheduling::Plugin;
using scheduling::PodInfo;
using scheduling::Rejection;

// Kubernetes, pkg/scheduler/schedule_one.go: minFeasibleNodesToFind,
// minFeasibleNodesPercentageToFind.
constexpr std::size_t kMinFeasible = 100;
constexpr std::size_t kMinPercentage = 5;
constexpr std::size_t kFullPercentage = 100;
constexpr std::size_t kAdaptiveStart = 50;
constexpr std::size_t kAdaptiveSlope = 125;

}  // namespace

Rejection check_with_nominated(const PodInfo& pod, const NodeInfo& node, const Filters& filters,
                               const Nominator& nominator) {
  const auto nominated =
      nominator.empty() ? std::span<const scheduling::PodPtr>{} : nominator.on(node.name());
  const auto counts = [&pod](const scheduling::PodPtr& other) {
    return other->priority() >= pod.priority() && other->uid() != pod.uid();
  };
  if (std::any_of(nominated.begin(), nominated.end(), counts)) {
    NodeInfo with = node;
    Filters with_filters = filters;
    for (const scheduling::PodPtr& other : nominated) {
      if (!counts(other)) continue;
      with.add_pod(other);
      with_filters.update(*other, node, 1);
    }
    if (const Rejection rejection = with_filters.check(with)) return rejection;
  }
  return filters.check(node);
}

std::size_t PodScheduler::enough_of(std::size_t nodes) const {
  if (nodes < kMinFeasible) return nodes;
  std::size_t percentage = options_.percentage_of_nodes_to_score;
  if (percentage == 0) {
    const std::size_t lower = nodes / kAdaptiveSlope;
    percentage = std::max(kMinPercentage, kAdaptiveStart - std::min(kAdaptiveStart, lower));
  }
  if (percentage >= kFullPercentage) return nodes;
  return std::max(kMinFeasible, nodes * percentage / kFullPercentage);
}

Decision PodScheduler::decide(const SchedulingInput& input) {
  Decision decision;
  const std::vector<std::size_t> feasible = find_feasible(input, decision);
  decision.feasible = feasible.size();
  if (feasible.empty()) return decision;
  decision.rejections.clear();
  const std::size_t chosen = feasible.size() == 1 ? feasible.front() : choose(input, feasible);
  decision.node = input.snapshot.nodes()[chosen].name();
  return decision;
}

std::vector<std::size_t> PodScheduler::find_feasible(const SchedulingInput& input,
                                                     Decision& decision) {
  const auto nodes = input.snapshot.nodes();
  if (nodes.empty()) return {};
  const Filters filters(input.pod, input.snapshot);
  if (const std::string* nominated = input.nominator.node_of(input.pod.uid())) {
    // The node that was cleared for this pod is tried alone, first.
    const auto index = input.snapshot.find(*nominated);
    ++decision.examined;
    if (index && !check_with_nominated(input.pod, nodes[*index], filters, input.nominator)) {
      return {*index};
    }
  }
  const std::size_t enough = enough_of(nodes.size());
  std::vector<std::size_t> feasible;
  decision.rejections.resize(nodes.size());
  std::size_t examined = 0;
  for (; examined < nodes.size() && feasible.size() < enough; ++examined) {
    const std::size_t index = (next_start_ + examined) % nodes.size();
    Rejection rejection = check_with_nominated(input.pod, nodes[index], filters, input.nominator);
    if (!rejection) feasible.push_back(index);
    decision.rejections[index] = rejection;
  }
  next_start_ = (next_start_ + examined) % nodes.size();
  decision.examined += examined;
  return feasible;
}

std::size_t PodScheduler::choose(const SchedulingInput& input,
                                 const std::vector<std::size_t>& feasible) const {
  const std::vector<std::int64_t> totals =
      total_scores({input.pod, input.snapshot, feasible, options_.resources, input.default_spread},
                   options_.weights);
  const std::int64_t best = *std::max_element(totals.begin(), totals.end());
  std::vector<std::size_t> equals;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == best) equals.push_back(feasible[i]);
  }
  if (equals.size() == 1) return equals.front();
  return equals[uniform_below(input.draw(), equals.size())];
}

std::string fit_error(const PodInfo& pod, std::span<const Rejection> rejections) {
  if (rejections.empty()) return "no nodes available to schedule pods";
  std::map<std::string, std::size_t> counts;
  scheduling::count_reasons(rejections, pod, counts);
  return "0/" + std::to_string(rejections.size()) +
         " nodes are available: " + scheduling::histogram_text(counts) + ".";
}

scheduling::PluginSet plugins_of(std::span<const Rejection> rejections) {
  scheduling::PluginSet plugins = 0;
  for (const Rejection& rejection : rejections) {
    if (rejection.plugin != Plugin::None) plugins |= scheduling::bit(rejection.plugin);
  }
  return plugins;
}

}  // namespace troupe::kube_scheduler
