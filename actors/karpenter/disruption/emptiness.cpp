#include "actors/karpenter/disruption/emptiness.h"

#include <algorithm>

#include "actors/karpenter/lifecycle/condition_types.h"
#include "messages/int128.h"

namespace troupe::karpenter {
namespace {

/// More money saved for each unit of trouble comes first; equal ones in order of names.
bool disrupted_before(const Candidate& a, const Candidate& b) {
  const Int128 left = static_cast<Int128>(a.price_micro_usd_per_hour) * b.reschedule_cost;
  const Int128 right = static_cast<Int128>(b.price_micro_usd_per_hour) * a.reschedule_cost;
  if (left != right) return left > right;
  return a.node.name() < b.node.name();
}

std::vector<Candidate> within(std::vector<Candidate> candidates, Budgets& budgets) {
  std::erase_if(candidates, [&budgets](const Candidate& candidate) {
    std::int64_t& left = budgets[candidate.pool->metadata().name()].left;
    if (left == 0) return true;
    --left;
    return false;
  });
  return candidates;
}

}  // namespace

bool Emptiness::wants(const Candidate& candidate) const {
  const NodePoolSpec& spec = candidate.pool->spec();
  if (spec.has_replicas() || spec.disruption().consolidate_after() == "Never") return false;
  return candidate.is_empty() && condition_is(*candidate.node.claim, kConsolidatable);
}

std::vector<Candidate> Emptiness::choose(std::vector<Candidate> candidates,
                                         Budgets& budgets) const {
  std::ranges::stable_sort(candidates, disrupted_before);
  return within(std::move(candidates), budgets);
}

std::vector<Candidate> Emptiness::revalidate(std::vector<Candidate> still, Budgets& budgets,
                                             std::size_t /*planned*/) const {
  return within(std::move(still), budgets);
}

}  // namespace troupe::karpenter
