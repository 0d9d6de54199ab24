#include "actors/karpenter/garbage_collection/garbage_collector.h"

#include "actors/karpenter/lifecycle/claim_deletion.h"
#include "actors/karpenter/lifecycle/condition_types.h"

namespace troupe::karpenter {

void GarbageCollector::start(Context& context) {
  look_at_claims(context);
  look_at_instances(context);
}

void GarbageCollector::look_at_claims(Context& context) {
  manager_.api.timers().after(context, kClaimPeriod, "claims without instance",
                              [this](Context& later) { look_at_claims(later); });
  // Those of before the question: one that comes after it may have an instance that the answer
  // does not know.
  std::set<std::string> suspects;
  for (const auto& [name, claim] : manager_.claims.cache()) {
    const bool settled = condition_is(*claim, kRegistered) &&
                         !claim->metadata().has_deletion_timestamp() &&
                         !claim->status().provider_id().empty();
    if (settled) suspects.insert(name);
  }
  if (suspects.empty()) return;
  manager_.cloud.describe(
      context, {}, [this, suspects](Context& later, const cloud::DescribeInstancesReply* reply) {
        if (reply != nullptr) collect_claims(later, suspects, *reply);
      });
}

void GarbageCollector::collect_claims(Context& context, const std::set<std::string>& suspects,
                                      const cloud::DescribeInstancesReply& reply) {
  std::set<std::string> known;
  for (const cloud::Instance& instance : reply.instances()) known.insert(instance.id());
  for (const std::string& name : suspects) {
    const auto claim = manager_.claims.get(name);
    if (claim == nullptr || claim->metadata().has_deletion_timestamp() ||
        known.contains(claim->status().provider_id())) {
      continue;
    }
    // The cloud may be wrong: a kubelet that is Ready has a machine.
    const auto node = manager_.state.node_of(claim->status().provider_id());
    if (node != nullptr && is_true(node->status().conditions(), "Ready")) continue;
    delete_claim(manager_, context, *claim, "garbage_collected", [](Context&, bool) {});
  }
}

void GarbageCollector::look_at_instances(Context& context) {
  const Duration period = ++looks_ < kFirstLooks ? kFirstInstancePeriod : kInstancePeriod;
  manager_.api.timers().after(context, period, "instances without claim",
                              [this](Context& later) { look_at_instances(later); });
  manager_.cloud.describe(context, {},
                          [this](Context& later, const cloud::DescribeInstancesReply* reply) {
                            if (reply != nullptr) collect_instances(later, *reply);
                          });
}

void GarbageCollector::collect_instances(Context& context,
                                         const cloud::DescribeInstancesReply& reply) {
  for (const cloud::Instance& instance : reply.instances()) {
    const bool ours = !instance.node_pool().empty() && instance.state() == "running";
    const bool young = context.now() - from_ns(instance.launched_ns()) < kYoung;
    if (!ours || young || manager_.state.claim_of(instance.id()) != nullptr) continue;
    manager_.cloud.terminate(context, instance.id(),
                             [](Context&, const cloud::TerminateInstanceReply*) {});
    for (const auto& node : manager_.state.nodes_of(instance.id())) {
      manager_.api.remove(context, key_of(*node), {.uid = node->metadata().uid()},
                          [](Context&, const ApiResult&) {});
    }
  }
}

}  // namespace troupe::karpenter
