#include "actors/workloads/node_lifecycle/controller.h"

#include <utility>

#include "actors/scheduling/pod_status.h"
#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"
#include "messages/facts.pb.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

/// scheduler.NodeHealthUpdateRetry.
constexpr int kStatusTries = 5;
/// Nodes that have it count in no zone.
constexpr std::string_view kExcludeDisruption = "node.kubernetes.io/exclude-disruption";

std::int64_t heartbeat_of(const k8s::Node& node) {
  const k8s::Condition* ready = find_condition(node.status().conditions(), "Ready");
  return ready != nullptr ? ready->last_heartbeat_time() : 0;
}

}  // namespace

NodeLifecycleOptions node_lifecycle_options(const hosts::NodeLifecycleConfig& config) {
  NodeLifecycleOptions options;
  if (config.grace_ns() != 0) options.health.grace = Duration(config.grace_ns());
  if (config.monitor_period_ns() != 0)
    options.monitor_period = Duration(config.monitor_period_ns());
  return options;
}

NodeLifecycleController::NodeLifecycleController(SharedInformers& informers,
                                                 const ControllerOptions& options,
                                                 const NodeLifecycleOptions& lifecycle)
    : SyncingController(informers, options, "node-controller"),
      lifecycle_(lifecycle),
      health_(lifecycle.health),
      taints_(api_) {
  informers.nodes.on_add(
      [this](Context& context, const NodePtr& node) { enqueue(context, node->metadata().name()); });
  informers.nodes.on_update([this](Context& context, const NodePtr&, const NodePtr& after) {
    enqueue(context, after->metadata().name());
  });
}

void NodeLifecycleController::start(Context& context) {
  SyncingController::start(context);
  api_.subscribe_node_leases(context,
                             [this](Context&, const std::string& node) { health_.renewed(node); });
  monitor(context);
}

void NodeLifecycleController::sync(Context& context, const std::string& key) {
  const NodePtr node = informers_.nodes.get(key);
  if (node == nullptr || condition_taints(*node).empty()) {
    finish(context, key);
    return;
  }
  after_deciding(context, 0, [this, key, node](Context& later) {
    taints_.write(later, *node, condition_taints(*node),
                  [this, key](Context& last, bool ok) { finish(last, key, ok); });
  });
}

void NodeLifecycleController::monitor(Context& context) {
  api_.timers().after(context, lifecycle_.monitor_period, "node monitor",
                      [this](Context& later) { monitor(later); });
  note_births_and_deaths(context);
  std::vector<Finding> findings = look_at_all(context);
  const auto nodes = static_cast<std::int64_t>(findings.size());
  after_deciding(context, nodes,
                 [this, findings = std::move(findings)](Context& later) { act(later, findings); });
}

void NodeLifecycleController::note_births_and_deaths(Context& context) {
  for (const auto& [name, node] : informers_.nodes.cache()) {
    if (!known_.try_emplace(name, node).second) continue;
    record(context, *node, "Normal", "RegisteredNode",
           "Registered Node " + name + " in Controller");
    // After a restart: what was to be done about its pods may have been left undone.
    const std::string_view readiness = readiness_of(*node);
    if (!readiness.empty() && readiness != "True") mark_pods_not_ready(context, name);
  }
  std::erase_if(known_, [&](const auto& entry) {
    const auto& [name, node] = entry;
    if (informers_.nodes.get(name) != nullptr) return false;
    record(context, *node, "Normal", "RemovingNode", "Removing Node " + name + " from Controller");
    health_.forget(name);
    zones_.zone(zone_of(*node)).remove(name);
    pods_to_mark_again_.erase(name);
    return true;
  });
}

std::vector<NodeLifecycleController::Finding> NodeLifecycleController::look_at_all(
    Context& context) {
  std::vector<Finding> findings;
  for (const auto& [name, node] : informers_.nodes.cache()) {
    findings.push_back({node, health_.is_silent(*node, context.now())});
  }
  return findings;
}

void NodeLifecycleController::act(Context& context, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const std::string& name = finding.node->metadata().name();
    if (finding.silent && silent_status(*finding.node, context.now())) {
      give_up(context, finding.node, 1);
      continue;
    }
    set_eviction_taint(context, *finding.node, readiness_of(*finding.node));
    if (pods_to_mark_again_.erase(name) > 0 && readiness_of(*finding.node) != "True") {
      mark_pods_not_ready(context, name);
    }
  }
  pace_evictions(context, findings);
}

void NodeLifecycleController::give_up(Context& context, const NodePtr& node, int tries) {
  k8s::Node updated = *node;
  *updated.mutable_status() = *silent_status(*node, context.now());
  const auto on_read = [this, node, tries](Context& later, const ApiResult& result) {
    // The cache was late: if only about other things, the node is as silent as it was.
    const auto live = result.as<k8s::Node>();
    const bool silent = live != nullptr && live->metadata().uid() == node->metadata().uid() &&
                        heartbeat_of(*live) == heartbeat_of(*node) &&
                        silent_status(*live, later.now());
    if (silent) give_up(later, live, tries + 1);
  };
  const auto on_written = [this, node, tries, on_read](Context& later, const ApiResult& result) {
    if (result.ok()) {
      on_given_up(later, *node);
    } else if (result.conflict() && tries < kStatusTries) {
      api_.get(later, key_of(*node), on_read);
    }
  };
  api_.update_status(context, std::move(updated), on_written);
}

void NodeLifecycleController::on_given_up(Context& context, const k8s::Node& before) {
  const std::string& name = before.metadata().name();
  if (readiness_of(before) == "True") {
    facts::NodeNotReady fact;
    fact.set_node(name);
    fact.set_reason("NodeStatusUnknown");
    context.emit(Payload::of(std::move(fact)));
    record(context, before, "Normal", "NodeNotReady",
           "Node " + name + " status is now: NodeNotReady");
    mark_pods_not_ready(context, name);
  }
  set_eviction_taint(context, before, "Unknown");
  arm_eviction(context);
}

void NodeLifecycleController::set_eviction_taint(Context& context, const k8s::Node& node,
                                                 std::string_view readiness) {
  if (readiness.empty()) return;
  if (readiness == "True") {
    clear_eviction_taints(context, node);
    return;
  }
  const Taints& taints = node.spec().taints();
  const std::string_view key = eviction_key(readiness);
  const std::string_view other = key == kNotReadyTaint ? kUnreachableTaint : kNotReadyTaint;
  if (find_taint(taints, other, kNoExecute) != nullptr) {
    // It is being evicted already, if for another reason: there is no turn to wait for.
    taints_.write(context, node, eviction_taint(readiness), [](Context&, bool) {});
    return;
  }
  ZoneQueue& queue = zones_.zone(zone_of(node));
  const std::string& name = node.metadata().name();
  if (find_taint(taints, key, kNoExecute) == nullptr) queue.remove(name);
  queue.add(name);
}

void NodeLifecycleController::clear_eviction_taints(Context& context, const k8s::Node& node) {
  zones_.zone(zone_of(node)).remove(node.metadata().name());
  TaintChange change = no_eviction_taint(node);
  if (change.empty()) return;
  // If it fails, the next look finds the taint again.
  taints_.write(context, node, std::move(change), [](Context&, bool) {});
}

void NodeLifecycleController::pace_evictions(Context& context,
                                             const std::vector<Finding>& findings) {
  std::map<std::string, ZoneTally> tallies;
  for (const Finding& finding : findings) {
    const k8s::Node& node = *finding.node;
    if (find_label(node.metadata().labels(), kExcludeDisruption) != nullptr) continue;
    ZoneTally& tally = tallies[zone_of(node)];
    ++(readiness_of(node) == "True" && !finding.silent ? tally.ready : tally.not_ready);
  }
  switch (zones_.update(tallies, context.now())) {
    case EvictionZones::Turn::AllWentDown:
      for (const Finding& finding : findings) clear_eviction_taints(context, *finding.node);
      break;
    case EvictionZones::Turn::SomeCameBack:
      health_.begin_anew(context.now());
      break;
    case EvictionZones::Turn::None:
      break;
  }
  arm_eviction(context);
}

void NodeLifecycleController::arm_eviction(Context& context) {
  const std::optional<SimTime> due = zones_.due();
  if (!due) return;
  const SimTime at = std::max(*due, context.now() + kEvictionPeriod);
  if (eviction_) {
    if (eviction_->at <= at) return;
    api_.timers().cancel(context, eviction_->timer);
  }
  const TimerId timer = api_.timers().after(context, at - context.now(), "eviction",
                                            [this](Context& later) { evict_next(later); });
  eviction_ = {at, timer};
}

void NodeLifecycleController::evict_next(Context& context) {
  eviction_.reset();
  while (const std::optional<std::string> name = zones_.take(context.now())) {
    const NodePtr node = informers_.nodes.get(*name);
    if (node == nullptr) continue;
    const std::string_view readiness = readiness_of(*node);
    if (readiness != "False" && readiness != "Unknown") continue;  // it is well again
    taints_.write(context, *node, eviction_taint(readiness), [this, node](Context& later, bool ok) {
      if (ok) return;
      zones_.zone(zone_of(*node)).put_back(node->metadata().name());
      arm_eviction(later);
    });
  }
  arm_eviction(context);
}

void NodeLifecycleController::mark_pods_not_ready(Context& context, const std::string& node) {
  for (const auto& [path, pod] : informers_.pods_by_node.on(node)) {
    const k8s::Condition* ready = find_condition(pod->status().conditions(), "Ready");
    if (ready == nullptr || ready->status() == "False") continue;
    auto patch = scheduling::condition_patch(
        *pod, {"Ready", "False", ready->reason(), ready->message()}, context.now());
    patch->mutable_metadata()->set_uid(pod->metadata().uid());
    record(context, *pod, "Warning", "NodeNotReady", "Node is not ready");
    api_.patch(context, std::move(*patch), {.subresource = "status", .strategic = true},
               [this, node](Context&, const ApiResult& result) {
                 if (!result.ok() && !result.not_found()) pods_to_mark_again_.insert(node);
               });
  }
}

}  // namespace troupe::workloads
