// How much each pool may still grow inside one simulation.
//
// Limits are compared with the capacity of whole nodes. A planned claim may become any of its
// types, so the largest is taken off: one batch can therefore need several loops. The limit on
// `nodes` is only read against nodes that exist, so one batch can pass it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/instance_type.h"
#include "messages/karpenter.pb.h"
#include "messages/result.h"

namespace troupe::karpenter {

class PoolLimits {
 public:
  void set(const NodePool& pool);
  /// A node of the pool is there.
  void take(const std::string& pool, const Resources& capacity);
  /// A claim for one of these types is planned.
  void take_largest(const std::string& pool, const InstanceTypes& types);
  /// The types that the pool has room for; an error in Karpenter's words where it has room for
  /// none.
  [[nodiscard]] Result<InstanceTypes> allowed(const std::string& pool,
                                              const InstanceTypes& types) const;

 private:
  std::map<std::string, Resources> remaining_;  ///< only the resources that the pool limits
};

/// The first limit of the pool that `usage` is past already; empty if none is.
[[nodiscard]] std::string exceeded_limit(const NodePool& pool, const Resources& usage);

}  // namespace troupe::karpenter
