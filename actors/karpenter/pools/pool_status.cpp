#include "actors/karpenter/pools/pool_status.h"

#include <utility>

#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/labels.h"
#include "messages/same_message.h"

namespace troupe::karpenter {
namespace {

constexpr WorkQueueOptions kPoolQueue{.workers = 10,
                                      .backoff_min = std::chrono::milliseconds(100),
                                      .backoff_max = std::chrono::minutes(1),
                                      .retry_qps = 0};

ConditionState health_condition(PoolHealth health) {
  if (health == PoolHealth::Healthy) {
    return {kNodeRegistrationHealthy, "True", kNodeRegistrationHealthy, {}};
  }
  if (health == PoolHealth::Unhealthy) {
    return {kNodeRegistrationHealthy, "False", "UnhealthyRegistration",
            "Nodes of the NodePool do not register"};
  }
  return {kNodeRegistrationHealthy, "Unknown", kAwaitingReconciliation,
          "object is awaiting reconciliation"};
}

}  // namespace

PoolStatus::PoolStatus(Manager& manager, const PoolHealthTracker& health)
    : KeyedController(kPoolQueue), manager_(manager), health_(health) {
  manager.pools.on_add(
      [this](Context& context, const auto& pool) { enqueue(context, pool->metadata().name()); });
  manager.pools.on_update([this](Context& context, const auto&, const auto& pool) {
    enqueue(context, pool->metadata().name());
  });
  watch_members();
}

void PoolStatus::watch_members() {
  const auto look = [this](Context& context, const auto& member) {
    const std::string pool(label_or(member->metadata().labels(), kNodePoolLabel));
    if (!pool.empty()) enqueue_after(context, pool, kCollect);
  };
  const auto follow = [look](auto& informer) {
    informer.on_add(look);
    informer.on_update(
        [look](Context& context, const auto&, const auto& after) { look(context, after); });
    informer.on_delete(look);
  };
  follow(manager_.nodes);
  follow(manager_.claims);
}

void PoolStatus::set_conditions(NodePool& pool, SimTime now) const {
  ConditionList& conditions = *pool.mutable_status()->mutable_conditions();
  for (const std::string_view type : {"ValidationSucceeded", "NodeClassReady", "Ready"}) {
    set_condition(conditions, {type, "True", type, {}}, now);
  }
  const PoolHealth health = health_.health_of(pool.metadata().name());
  // A process that has just begun knows nothing yet, and leaves what the last one wrote.
  if (health == PoolHealth::Unknown &&
      find_condition(conditions, kNodeRegistrationHealthy) != nullptr) {
    return;
  }
  set_condition(conditions, health_condition(health), now);
}

void PoolStatus::reconcile(Context& context, const std::string& name) {
  const auto pool = manager_.pools.get(name);
  if (pool == nullptr) return finish(context, name);
  NodePool updated = *pool;
  set_conditions(updated, context.now());
  const Resources usage = manager_.state.pool_usage(name);
  *updated.mutable_status()->mutable_resources() = usage.to_list();
  updated.mutable_status()->set_nodes(usage.get(kNodes));
  if (same_message(updated.status(), pool->status())) return finish(context, name);
  manager_.api.update_status(context, std::move(updated),
                             [this, name](Context& later, const ApiResult& result) {
                               finish(later, name, {.ok = result.ok() || result.not_found()});
                             });
}

}  // namespace troupe::karpenter
