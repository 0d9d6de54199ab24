#include "actors/karpenter/disruption/budgets.h"

#include <algorithm>

#include "actors/karpenter/disruption/cron_schedule.h"
#include "actors/karpenter/lifecycle/condition_types.h"
#include "messages/int_or_string.h"
#include "messages/units.h"

namespace troupe::karpenter {
namespace {

/// Karpenter v1, pkg/apis/v1/nodepool.go: the default of spec.disruption.budgets.
constexpr IntOrPercent kDefaultBudget{10, true};

/// What the budget allows; 0 if it cannot be read.
std::int64_t allowed_by(const DisruptionBudget& budget, std::int64_t nodes, SimTime now) {
  if (budget.has_schedule() || budget.has_duration()) {
    const Result<CronSchedule> schedule = CronSchedule::parse(budget.schedule());
    const Result<Duration> length = parse_duration(budget.duration());
    if (!schedule || !length) return 0;
    if (!schedule->hit_within(*length, now)) return kUnlimited;
  }
  const Result<IntOrPercent> share = IntOrPercent::parse(budget.nodes());
  return share ? share->of(nodes, Rounding::Up) : 0;
}

bool means(const DisruptionBudget& budget, std::string_view reason) {
  return budget.reasons().empty() ||
         std::ranges::find(budget.reasons(), reason) != budget.reasons().end();
}

bool counts(const StateNode& node) {
  return node.managed() && node.initialized() && !condition_is(*node.claim, kInstanceTerminating);
}

bool uses_budget(const StateNode& node) {
  return node.is_leaving() || !is_true(node.node->status().conditions(), "Ready");
}

}  // namespace

std::int64_t allowed_disruptions(const NodePool& pool, std::int64_t nodes, std::string_view reason,
                                 SimTime now) {
  const auto& budgets = pool.spec().disruption().budgets();
  if (budgets.empty()) return kDefaultBudget.of(nodes, Rounding::Up);
  std::int64_t allowed = kUnlimited;
  for (const DisruptionBudget& budget : budgets) {
    if (means(budget, reason)) allowed = std::min(allowed, allowed_by(budget, nodes, now));
  }
  return allowed;
}

std::map<std::string, PoolBudget> disruption_budgets(
    const std::vector<std::shared_ptr<const NodePool>>& pools, const std::vector<StateNode>& nodes,
    std::string_view reason, SimTime now) {
  std::map<std::string, PoolBudget> result;
  std::map<std::string, std::int64_t> used;
  for (const StateNode& node : nodes) {
    if (!counts(node)) continue;
    ++result[node.pool()].nodes;
    if (uses_budget(node)) ++used[node.pool()];
  }
  for (const auto& pool : pools) {
    PoolBudget& budget = result[pool->metadata().name()];
    budget.allowed = allowed_disruptions(*pool, budget.nodes, reason, now);
    budget.left = std::max<std::int64_t>(budget.allowed - used[pool->metadata().name()], 0);
  }
  return result;
}

}  // namespace troupe::karpenter
