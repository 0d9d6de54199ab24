// The scheduling simulation: where each pod would go, on nodes that are there, on claims of this
// batch, or on new ones.
//
// First fit, not best fit. Existing nodes come first (initialized ones, then by name), then the
// batch's claims with the fewest pods, then a new claim of the heaviest pool that can have it. A
// pod that fails gives up its preferences one by one, and if that does not help goes to the tail of
// the queue with all of them back. kube-scheduler decides for itself later, and may decide
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/existing_node.h"
#include "actors/karpenter/scheduling/planned_claim.h"
#include "actors/karpenter/scheduling/pool_limits.h"
#include "actors/karpenter/scheduling/pool_template.h"
#include "actors/karpenter/scheduling/topology.h"

namespace troupe::karpenter {

struct SimulationInput {
  std::vector<std::shared_ptr<const NodePool>>
      pools;                               ///< all; those that are not ready are left out
  const std::vector<InstanceType>& types;  ///< must outlive the simulation and its results
  std::vector<StateNode> nodes;            ///< those that stay
  std::vector<BoundPod> bound;             ///< every pod that runs, on whichever node
  std::vector<std::shared_ptr<const k8s::Pod>> daemons;  ///< a pod of each DaemonSet
  PreferencePolicy preferences = PreferencePolicy::Respect;
  MinValuesPolicy min_values = MinValuesPolicy::Strict;
  std::size_t max_types = kMaxInstanceTypes;
  /// How many tries to place a pod the time budget allows; Karpenter's is one minute.
  std::size_t max_attempts = SIZE_MAX;
};

struct SimulationResult {
  struct Failure {
    std::shared_ptr<const k8s::Pod> pod;
    std::string reason;
  };
  std::vector<PlannedClaim> claims;
  std::vector<ExistingNode> nodes;
  std::vector<Failure> failures;
  std::size_t attempts = 0;
  bool timed_out = false;
};

class Simulation {
 public:
  explicit Simulation(SimulationInput input);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Whether any pool takes part; without one Karpenter does not even try existing nodes.
  [[nodiscard]] bool has_pools() const { return had_pools_; }
  /// The templates, which claims of the result refer to.
  [[nodiscard]] const std::vector<PoolTemplate>& templates() const { return templates_; }
  /// Pools whose requirements no instance type meets.
  [[nodiscard]] const std::vector<std::string>& pools_without_types() const {
    return without_types_;
  }

  /// Places the pods. Call it once.
  [[nodiscard]] SimulationResult solve(std::vector<SimulatedPod> pods);

 private:
  void build_templates();
  void build_nodes();
  [[nodiscard]] Resources daemons_of(const StateNode& node) const;
  [[nodiscard]] Result<void> place(const SimulatedPod& pod, Topology& topology,
                                   SimulationResult& result);
  [[nodiscard]] Result<void> place_with_relaxing(const SimulatedPod& pod, Topology& topology,
                                                 SimulationResult& result);
  [[nodiscard]] static bool place_on_node(const SimulatedPod& pod, Topology& topology,
                                          SimulationResult& result);
  [[nodiscard]] bool place_on_claim(const SimulatedPod& pod, Topology& topology,
                                    SimulationResult& result) const;
  [[nodiscard]] Result<void> place_on_new_claim(const SimulatedPod& pod, Topology& topology,
                                                SimulationResult& result);
  void finish(SimulationResult& result) const;

  SimulationInput input_;
  std::vector<PoolTemplate> templates_;
  std::vector<std::string> without_types_;
  bool had_pools_ = false;
  bool tolerate_prefer_no_schedule_ = false;
  PoolLimits limits_;
  std::vector<ExistingNode> nodes_;
};

}  // namespace troupe::karpenter
