#include "actors/karpenter/disruption/consolidatable_controller.h"

#include <utility>

#include "actors/karpenter/disruption/consolidatable.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/workloads/objects/pods.h"
#include "messages/same_message.h"

namespace troupe::karpenter {
namespace {

/// pkg/controllers/nodeclaim/disruption/controller.go: MaxConcurrentReconciles.
constexpr WorkQueueOptions kConsolidatableQueue{.workers = 10,
                                                .backoff_min = std::chrono::milliseconds(100),
                                                .backoff_max = std::chrono::minutes(1),
                                                .retry_qps = 0};

}  // namespace

ConsolidatableController::ConsolidatableController(Manager& manager)
    : KeyedController(kConsolidatableQueue), manager_(manager) {
  manager.claims.on_add(
      [this](Context& context, const auto& claim) { enqueue(context, claim->metadata().name()); });
  manager.claims.on_update([this](Context& context, const auto&, const auto& claim) {
    enqueue(context, claim->metadata().name());
  });
  manager.claims.on_delete(
      [this](Context&, const auto& claim) { pod_events_.erase(claim->metadata().name()); });
  manager.pools.on_update([this](Context& context, const auto&, const auto& pool) {
    for (const auto& [name, claim] : manager_.claims.cache()) {
      if (manager_.pool_of(*claim) == pool) enqueue(context, name);
    }
  });
  watch_pods();
}

void ConsolidatableController::watch_pods() {
  manager_.pods.on_update([this](Context& context, const auto& before, const auto& after) {
    if (is_pod_event(*before, *after)) note_pod_event(context, *after);
  });
  // A pod that was deleted without grace was never seen to end.
  manager_.pods.on_delete([this](Context& context, const auto& pod) {
    k8s::Pod ended = *pod;
    ended.mutable_status()->set_phase("Succeeded");
    if (is_active(*pod) && is_pod_event(*pod, ended)) note_pod_event(context, *pod);
  });
}

void ConsolidatableController::note_pod_event(Context& context, const k8s::Pod& pod) {
  const auto node = manager_.state.find_node(pod.spec().node_name());
  const auto claim = node != nullptr ? manager_.state.claim_of(*node) : nullptr;
  if (claim == nullptr || !is_event_due(*claim, context.now())) return;
  pod_events_[claim->metadata().name()] = context.now();
  enqueue(context, claim->metadata().name());
}

void ConsolidatableController::reconcile(Context& context, const std::string& name) {
  const auto claim = manager_.claims.get(name);
  const auto pool = claim != nullptr ? manager_.pool_of(*claim) : nullptr;
  if (pool == nullptr || claim->metadata().has_deletion_timestamp()) return finish(context, name);
  NodeClaim updated = *claim;
  const auto event = pod_events_.find(name);
  const SimTime noted = event != pod_events_.end() ? event->second : kTimeZero;
  if (event != pod_events_.end()) updated.mutable_status()->set_last_pod_event_time(to_ns(noted));
  const std::optional<Duration> again = update_consolidatable(updated, *pool, context.now());
  if (same_message(updated.status(), claim->status()))
    return finish(context, name, {.again = again});
  manager_.api.update_status(
      context, std::move(updated),
      [this, name, again, noted](Context& later, const ApiResult& result) {
        const auto written = pod_events_.find(name);
        if (result.ok() && written != pod_events_.end() && written->second == noted) {
          pod_events_.erase(written);
        }
        finish(later, name, {.ok = result.ok() || result.not_found(), .again = again});
      });
}

}  // namespace troupe::karpenter
