#include "actors/karpenter/disruption/candidate.h"

#include <algorithm>
#include <string_view>

#include "actors/karpenter/disruption/eviction_cost.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/state/pod_rules.h"
#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/objects/pods.h"

namespace troupe::karpenter {
namespace {

Result<void> check_node(const StateNode& node, SimTime now) {
  if (node.node == nullptr) return fail("NodeClaim does not have an associated node");
  if (!node.initialized()) return fail("Node isn't initialized");
  if (node.is_leaving()) return fail("Node is deleting or marked for deletion");
  if (node.is_nominated(now)) return fail("Node is nominated for a pending pod");
  if (has_label(node.annotations(), kDoNotDisruptAnnotation, "true")) {
    return fail("Disruption is blocked through the \"karpenter.sh/do-not-disrupt\" annotation");
  }
  if (node.pool().empty())
    return fail("Node doesn't have required label (label=karpenter.sh/nodepool)");
  return {};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Result<void> check_pods(const std::vector<std::shared_ptr<const k8s::Pod>>& pods,
                        const CandidateInput& input) {
  for (const auto& pod : pods) {
    if (is_active(*pod) && is_protected(*pod, input.now)) {
      return fail("Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=" +
                  pod->metadata().namespace_() + "/" + pod->metadata().name() + ")");
    }
  }
  const std::vector<std::string> budgets = input.limits.blocking(pods, input.now);
  if (budgets.empty()) return {};
  return fail(budgets.size() > 1
                  ? "Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[" +
                        joined(budgets) + "])"
                  : "Pdb prevents pod evictions (PodDisruptionBudget=[" + joined(budgets) + "])");
}

}  // namespace

bool Candidate::is_empty() const {
  return empty_by_cost ? reschedule_cost <= kCostUnit : reschedulable.empty();
}

Result<Candidate> judge(const StateNode& node, const CandidateInput& input) {
  if (!node.managed() || input.being_disrupted.contains(node.provider_id())) return fail("");
  if (auto possible = check_node(node, input.now); !possible)
    return tl::unexpected(possible.error());
  const auto pool = input.pools.find(node.pool());
  if (pool == input.pools.end()) return fail("NodePool not found (NodePool=" + node.pool() + ")");
  const auto pods = input.state.pods_on(node.node->metadata().name());
  if (auto possible = check_pods(pods, input); !possible) return tl::unexpected(possible.error());

  Candidate candidate;
  candidate.node = node;
  candidate.pool = pool->second;
  candidate.empty_by_cost = input.profile.empty_by_cost;
  std::ranges::copy_if(pods, std::back_inserter(candidate.reschedulable),
                       [](const auto& pod) { return is_reschedulable(*pod); });
  candidate.reschedule_cost = kCostUnit + positive_eviction_cost(candidate.reschedulable);
  const InstanceType* type = input.catalogue.find(label_or(node.labels(), kInstanceTypeLabel));
  const Offering* offering = type == nullptr
                                 ? nullptr
                                 : type->find_offering(label_or(node.labels(), kZoneLabel),
                                                       label_or(node.labels(), kCapacityTypeLabel));
  if (offering != nullptr) candidate.price_micro_usd_per_hour = offering->price_micro_usd_per_hour;
  return candidate;
}

}  // namespace troupe::karpenter
