#include "actors/karpenter/termination/node_terminator.h"

#include <utility>

#include "actors/karpenter/lifecycle/claim_deletion.h"
#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/state/pod_rules.h"
#include "actors/karpenter/termination/instance_end.h"
#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/objects/taints.h"
#include "messages/same_message.h"

namespace troupe::karpenter {
namespace {

/// pkg/controllers/node/termination/controller.go: MaxConcurrentReconciles and the rate limiter.
constexpr WorkQueueOptions kTerminationQueue{.workers = 100,
                                             .backoff_min = std::chrono::milliseconds(100),
                                             .backoff_max = std::chrono::seconds(10),
                                             .retry_qps = 0};
constexpr std::string_view kExcluded = "karpenter";

}  // namespace

NodeTerminator::NodeTerminator(Manager& manager, EvictionQueue& evictions)
    : KeyedController(kTerminationQueue), manager_(manager), evictions_(evictions) {
  const auto look = [this](Context& context, const k8s::Node& node) {
    if (node.metadata().has_deletion_timestamp()) enqueue(context, node.metadata().name());
  };
  manager.nodes.on_add([look](Context& context, const auto& node) { look(context, *node); });
  manager.nodes.on_update(
      [look](Context& context, const auto&, const auto& node) { look(context, *node); });
}

void NodeTerminator::reconcile(Context& context, const std::string& name) {
  const NodePtr node = manager_.nodes.get(name);
  if (node == nullptr || !node->metadata().has_deletion_timestamp() ||
      !has_finalizer(node->metadata(), kTerminationFinalizer)) {
    return finish(context, name);
  }
  const auto claim = manager_.state.claim_of(*node);
  if (claim != nullptr && !claim->metadata().has_deletion_timestamp()) {
    return end_claim(context, node);
  }
  check_instance(context, node);
}

void NodeTerminator::end_claim(Context& context, const NodePtr& node) {
  const auto claim = manager_.state.claim_of(*node);
  delete_claim(manager_, context, *claim, "node_deleted", [this, node](Context& later, bool ok) {
    if (!ok) return finish(later, node->metadata().name(), {.ok = false});
    check_instance(later, node);
  });
}

// A machine that is gone cannot be drained. A kubelet that says Ready is not, whatever the cloud
// says.
void NodeTerminator::check_instance(Context& context, const NodePtr& node) {
  if (is_true(node->status().conditions(), "Ready")) return taint(context, node);
  manager_.cloud.describe(context, {node->spec().provider_id()},
                          [this, node](Context& later, const cloud::DescribeInstancesReply* reply) {
                            if (reply == nullptr) {
                              finish(later, node->metadata().name(), {.ok = false});
                            } else if (reply->instances().empty()) {
                              remove_finalizer(later, node);
                            } else {
                              taint(later, node);
                            }
                          });
}

void NodeTerminator::taint(Context& context, const NodePtr& node) {
  k8s::Node tainted = *node;
  const bool added = add_taint(*tainted.mutable_spec()->mutable_taints(),
                               make_taint(kDisruptedTaint, kNoSchedule));
  const bool labelled =
      set_label(*tainted.mutable_metadata()->mutable_labels(), kExcludeBalancersLabel, kExcluded);
  if (!added && !labelled) return drain(context, node);
  manager_.api.update(context, std::move(tainted),
                      [this, node](Context& later, const ApiResult& result) {
                        const NodePtr written = result.as<k8s::Node>();
                        if (!result.ok() || written == nullptr) {
                          return finish(later, node->metadata().name(), {.ok = result.not_found()});
                        }
                        drain(later, written);
                      });
}

void NodeTerminator::drain(Context& context, const NodePtr& node) {
  const auto claim = manager_.state.claim_of(*node);
  const std::optional<SimTime> deadline = termination_deadline(claim.get());
  const DrainStep step =
      next_drain_step(manager_.state.pods_on(node->metadata().name()), deadline, context.now());
  evict(context, step, deadline);
  const Duration since = context.now() - from_ns(node->metadata().deletion_timestamp());
  const bool too_soon = manager_.profile.minimum_drain_time && since < kMinDrainTime;
  note_drain(context, *node, step.done() && !too_soon);
  if (step.done() && !too_soon) return terminate(context, node);
  finish(context, node->metadata().name(), {.again = kDrainPoll});
}

void NodeTerminator::evict(Context& context, const DrainStep& step,
                           std::optional<SimTime> deadline) {
  for (const auto& pod : step.evict) {
    if (is_evictable(*pod, context.now())) evictions_.add(context, *pod);
  }
  for (const auto& pod : step.force) {
    manager_.api.remove(context, key_of(*pod),
                        {.uid = pod->metadata().uid(),
                         .grace_period_seconds = forced_grace_seconds(*deadline, context.now())},
                        [](Context&, const ApiResult&) {});
  }
}

// Best effort: the next look comes by here again.
void NodeTerminator::note_drain(Context& context, const k8s::Node& node, bool drained) {
  const auto claim = manager_.state.claim_of(node);
  if (claim == nullptr) return;
  NodeClaim noted = *claim;
  if (drained) {
    set_true(noted, kDrained, context.now());
    set_true(noted, kVolumesDetached, context.now());
  } else {
    set_unknown(noted, kDrained, "Draining", "Draining", context.now());
  }
  if (same_message(noted.status(), claim->status())) return;
  manager_.api.update_status(context, std::move(noted), [](Context&, const ApiResult&) {});
}

void NodeTerminator::terminate(Context& context, const NodePtr& node) {
  end_instance(manager_, context, node->spec().provider_id(),
               [this, node](Context& later, InstanceEnd end) {
                 if (end == InstanceEnd::Gone) return remove_finalizer(later, node);
                 finish(later, node->metadata().name(),
                        {.ok = end == InstanceEnd::Going, .again = kInstancePoll});
               });
}

void NodeTerminator::remove_finalizer(Context& context, const NodePtr& node) {
  const std::string name = node->metadata().name();
  // While the cloud was asked the kubelet may have reported.
  const NodePtr newest = manager_.nodes.get(name);
  if (newest == nullptr) return finish(context, name);
  k8s::Node updated = *newest;
  if (!troupe::remove_finalizer(*updated.mutable_metadata(), kTerminationFinalizer)) {
    return finish(context, name);
  }
  manager_.api.update(context, std::move(updated),
                      [this, name](Context& later, const ApiResult& result) {
                        finish(later, name, {.ok = result.ok() || result.not_found()});
                      });
}

}  // namespace troupe::karpenter
