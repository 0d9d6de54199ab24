// A NodePool as the simulation uses it: the labels, taints and requirements of the nodes that it
// would make, and the instance types that can be such nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/instance_filter.h"
#include "actors/karpenter/scheduling/instance_type.h"
#include "messages/karpenter.pb.h"

namespace troupe::karpenter {

struct PoolTemplate {
  PoolTemplate(std::shared_ptr<const NodePool> pool, InstanceTypes types);

  [[nodiscard]] const std::string& name() const { return pool->metadata().name(); }
  [[nodiscard]] const google::protobuf::RepeatedPtrField<k8s::Taint>& taints() const {
    return pool->spec().template_().spec().taints();
  }

  std::shared_ptr<const NodePool> pool;
  Requirements requirements;
  InstanceTypes types;
  std::vector<DaemonGroup> daemons;
};

/// Whether the pool takes part in scheduling: ready, not being deleted, and not of a fixed size.
[[nodiscard]] bool is_schedulable(const NodePool& pool);
/// Heavier pools first; equal weights in descending order of names, as in Karpenter.
[[nodiscard]] bool tried_before(const NodePool& a, const NodePool& b);

/// Groups the template's types by the DaemonSets that will run on them. `daemons` is a pod of each
/// DaemonSet.
[[nodiscard]] std::vector<DaemonGroup> daemon_groups(
    const PoolTemplate& pool_template, const std::vector<std::shared_ptr<const k8s::Pod>>& daemons);

/// The version of the pool's template that drift compares: a hash of labels, annotations, taints,
/// startup taints, node class, expireAfter and terminationGracePeriod. Requirements, limits and
/// disruption are not part of it. The value is our own (Karpenter's is Go's hashstructure of the
/// same fields).
[[nodiscard]] std::string hash_of(const NodePool& pool);

}  // namespace troupe::karpenter
