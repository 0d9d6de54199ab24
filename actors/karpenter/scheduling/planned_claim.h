// A NodeClaim that a simulation is about to ask for: its pods so far and the instance types that
// can still carry them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/pool_template.h"
#include "actors/karpenter/scheduling/simulated_pod.h"
#include "actors/karpenter/scheduling/topology.h"

namespace troupe::karpenter {

/// Karpenter v1, pkg/controllers/provisioning/scheduling/nodeclaimtemplate.go: MaxInstanceTypes, 60
/// to 1.6, 600 since 1.7.
inline constexpr std::size_t kMaxInstanceTypes = 600;
inline constexpr std::size_t kMaxInstanceTypesBefore17 = 60;

class PlannedClaim {
 public:
  /// What becomes of a claim when one more pod joins.
  struct Addition {
    Requirements requirements;
    InstanceTypes types;
    bool min_values_relaxed = false;
  };

  /// `host`: a name for the node that only the simulation knows. `types`: those that the pool's
  /// limits leave.
  PlannedClaim(const PoolTemplate& pool_template, InstanceTypes types, std::string host);

  [[nodiscard]] const PoolTemplate& pool_template() const { return *template_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const k8s::Pod>>& pods() const { return pods_; }
  [[nodiscard]] const Requirements& requirements() const { return requirements_; }
  [[nodiscard]] const InstanceTypes& types() const { return types_; }
  [[nodiscard]] const Resources& requests() const { return requests_; }
  [[nodiscard]] const std::string& host() const { return host_; }

  /// False where no type could carry the pod as well, whatever else is asked: a quick no before
  /// can_add().
  [[nodiscard]] bool may_hold(const SimulatedPod& pod) const;
  [[nodiscard]] Result<Addition> can_add(const SimulatedPod& pod, const Topology& topology,
                                         MinValuesPolicy min_values) const;
  void add(const SimulatedPod& pod, Addition addition, Topology& topology);

  /// Called once all pods are placed: forgets the host name, adds the smallest daemon overhead to
  /// the requests.
  void finish();
  /// Keeps the cheapest `count` types; false if those no longer offer enough distinct values.
  bool truncate(std::size_t count, MinValuesPolicy min_values);
  /// The object to create.
  [[nodiscard]] NodeClaim to_claim() const;

 private:
  [[nodiscard]] Result<Addition> with_volume(const SimulatedPod& pod, Requirements node,
                                             const Requirements* volume, const Topology& topology,
                                             MinValuesPolicy min_values) const;

  const PoolTemplate* template_;
  std::string host_;
  InstanceTypes types_;
  Requirements requirements_;
  Resources requests_;
  std::vector<DaemonGroup> daemons_;
  std::vector<std::shared_ptr<const k8s::Pod>> pods_;
  bool min_values_relaxed_ = false;
};

}  // namespace troupe::karpenter
