#include "actors/karpenter/scheduling/simulation.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/scheduling/pod_queue.h"

namespace troupe::karpenter {
namespace {

bool has_prefer_no_schedule(const NodePool& pool) {
  return std::ranges::any_of(pool.spec().template_().spec().taints(), [](const k8s::Taint& taint) {
    return taint.effect() == kPreferNoSchedule;
  });
}

/// The types that the pool's own requirements leave, whatever the pods.
InstanceTypes eligible_types(const std::vector<InstanceType>& types, const PoolTemplate& pool) {
  InstanceTypes result;
  for (const InstanceType& type : types) {
    if (type.requirements.intersects(pool.requirements) &&
        type.cheapest(pool.requirements) != nullptr) {
      result.push_back(&type);
    }
  }
  return result;
}

}  // namespace

Simulation::Simulation(SimulationInput input) : input_(std::move(input)) {
  std::erase_if(input_.pools, [](const auto& pool) { return !is_schedulable(*pool); });
  std::ranges::stable_sort(input_.pools,
                           [](const auto& a, const auto& b) { return tried_before(*a, *b); });
  had_pools_ = !input_.pools.empty();
  build_templates();
  build_nodes();
}

void Simulation::build_templates() {
  for (const auto& pool : input_.pools) {
    limits_.set(*pool);
    tolerate_prefer_no_schedule_ |= has_prefer_no_schedule(*pool);
    PoolTemplate candidate(pool, {});
    candidate.types = eligible_types(input_.types, candidate);
    const bool too_few = input_.min_values == MinValuesPolicy::Strict &&
                         !scarce_keys(candidate.types, candidate.requirements).empty();
    if (candidate.types.empty() || too_few) {
      without_types_.push_back(candidate.name());
      continue;
    }
    candidate.daemons = daemon_groups(candidate, input_.daemons);
    templates_.push_back(std::move(candidate));
  }
}

void Simulation::build_nodes() {
  // Initialized nodes first, so that consolidation does not rely on one that is still starting.
  std::ranges::stable_sort(input_.nodes, [](const StateNode& a, const StateNode& b) {
    return std::pair(!a.initialized(), std::string_view(a.name())) <
           std::pair(!b.initialized(), std::string_view(b.name()));
  });
  for (const StateNode& node : input_.nodes) {
    nodes_.emplace_back(node, daemons_of(node));
    limits_.take(node.pool(), node.capacity());
  }
}

Resources Simulation::daemons_of(const StateNode& node) const {
  const Taints taints = node.taints();
  const Requirements labels = Requirements::of_labels(node.labels());
  Resources total;
  for (const auto& daemon : input_.daemons) {
    const bool tolerated = std::ranges::all_of(taints, [&daemon](const k8s::Taint& taint) {
      return tolerates(daemon->spec().tolerations(), taint);
    });
    if (tolerated &&
        labels.is_compatible(strict_requirements_of(daemon->spec()), Undefined::Refused)) {
      total.add(Resources::requested_by(*daemon));
    }
  }
  return total;
}

SimulationResult Simulation::solve(std::vector<SimulatedPod> pods) {
  std::vector<std::shared_ptr<const k8s::Node>> nodes;
  for (const StateNode& node : input_.nodes) {
    if (node.node != nullptr) nodes.push_back(node.node);
  }
  Topology topology({.pools = templates_,
                     .bound = input_.bound,
                     .nodes = nodes,
                     .preferences = input_.preferences},
                    pods);
  for (const ExistingNode& node : nodes_) topology.add_host(node.node().host_name());

  SimulationResult result;
  result.nodes = std::move(nodes_);
  std::vector<std::string> reasons(pods.size());
  PodQueue queue(pods);
  while (const auto index = queue.pop()) {
    if (result.attempts >= input_.max_attempts) {
      result.timed_out = true;
      break;
    }
    const SimulatedPod& pod = pods[*index];
    if (auto placed = place_with_relaxing(pod, topology, result)) {
      reasons[*index].clear();
    } else {
      reasons[*index] = placed.error().message;
      queue.push(*index);
    }
  }
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!reasons[i].empty()) result.failures.push_back({pods[i].shared(), reasons[i]});
  }
  finish(result);
  return result;
}

Result<void> Simulation::place_with_relaxing(const SimulatedPod& pod, Topology& topology,
                                             SimulationResult& result) {
  Result<void> placed = place(pod, topology, result);
  if (placed) return placed;
  SimulatedPod relaxed = pod;
  bool changed = false;
  while (!placed && relaxed.relax(tolerate_prefer_no_schedule_)) {
    changed = true;
    topology.update(relaxed);
    placed = place(relaxed, topology, result);
  }
  if (!placed && changed) topology.update(pod);
  return placed;
}

Result<void> Simulation::place(const SimulatedPod& pod, Topology& topology,
                               SimulationResult& result) {
  ++result.attempts;
  if (place_on_node(pod, topology, result) || place_on_claim(pod, topology, result)) return {};
  if (templates_.empty())
    return fail("nodepool requirements filtered out all available instance types");
  return place_on_new_claim(pod, topology, result);
}

bool Simulation::place_on_node(const SimulatedPod& pod, Topology& topology,
                               SimulationResult& result) {
  for (ExistingNode& node : result.nodes) {
    if (auto requirements = node.can_add(pod, topology)) {
      node.add(pod, std::move(*requirements), topology);
      return true;
    }
  }
  return false;
}

bool Simulation::place_on_claim(const SimulatedPod& pod, Topology& topology,
                                SimulationResult& result) const {
  std::vector<std::size_t> order(result.claims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&result](std::size_t i) { return result.claims[i].pods().size(); });
  for (const std::size_t i : order) {
    PlannedClaim& claim = result.claims[i];
    if (!claim.may_hold(pod)) continue;
    if (auto addition = claim.can_add(pod, topology, input_.min_values)) {
      claim.add(pod, std::move(*addition), topology);
      return true;
    }
  }
  return false;
}

Result<void> Simulation::place_on_new_claim(const SimulatedPod& pod, Topology& topology,
                                            SimulationResult& result) {
  std::string reasons;
  const auto refuse = [&reasons](const Error& error) {
    reasons += (reasons.empty() ? "" : "; ") + error.message;
  };
  for (const PoolTemplate& pool : templates_) {
    Result<InstanceTypes> types = limits_.allowed(pool.name(), pool.types);
    if (!types) {
      refuse(types.error());
      continue;
    }
    PlannedClaim claim(pool, std::move(*types),
                       "hostname-placeholder-" + std::to_string(result.claims.size() + 1));
    auto addition = claim.can_add(pod, topology, input_.min_values);
    if (!addition) {
      refuse(addition.error());
      continue;
    }
    claim.add(pod, std::move(*addition), topology);
    limits_.take_largest(pool.name(), claim.types());
    result.claims.push_back(std::move(claim));
    return {};
  }
  return fail(std::move(reasons));
}

void Simulation::finish(SimulationResult& result) const {
  std::vector<PlannedClaim> launchable;
  for (PlannedClaim& claim : result.claims) {
    claim.finish();
    if (claim.truncate(input_.max_types, input_.min_values)) {
      launchable.push_back(std::move(claim));
      continue;
    }
    for (const auto& pod : claim.pods()) {
      result.failures.push_back(
          {pod,
           "pod didn't schedule because NodePool couldn't meet minValues requirements (NodePool=" +
               claim.pool_template().name() + ")"});
    }
  }
  result.claims = std::move(launchable);
}

}  // namespace troupe::karpenter
