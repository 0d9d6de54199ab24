// How many nodes of a pool may be disrupted now: the smallest of the pool's budgets that are active
// and mean the reason.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "actors/karpenter/state/state_node.h"
#include "messages/karpenter.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// No budget restricts the reason.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int32_t>::max();

/// Of `nodes` nodes. A percentage rounds up; a budget outside its schedule restricts nothing; one
/// that cannot be read forbids everything. A pool without budgets has one of 10 %.
[[nodiscard]] std::int64_t allowed_disruptions(const NodePool& pool, std::int64_t nodes,
                                               std::string_view reason, SimTime now);

struct PoolBudget {
  std::int64_t allowed = 0;  ///< by the budgets alone
  std::int64_t left = 0;     ///< less the nodes that are not ready or go away already
  std::int64_t nodes = 0;    ///< that count: managed, initialized, instance not terminating
};

/// For each pool, by name.
[[nodiscard]] std::map<std::string, PoolBudget> disruption_budgets(
    const std::vector<std::shared_ptr<const NodePool>>& pools, const std::vector<StateNode>& nodes,
    std::string_view reason, SimTime now);

}  // namespace troupe::karpenter
