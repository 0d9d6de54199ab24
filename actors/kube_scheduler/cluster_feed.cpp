#include "actors/kube_scheduler/cluster_feed.h"

#include <algorithm>
#include <utility>

#include "actors/kube_scheduler/default_spread.h"
#include "messages/labels.h"

namespace troupe::kube_scheduler {
namespace {

using Kind = ClusterEvent::Kind;

/// What placement takes from a pod that has its node; the many reports of its containers are not
/// among it.
bool matters_on_node(const k8s::Pod& before, const k8s::Pod& after) {
  return before.spec().node_name() != after.spec().node_name() ||
         before.metadata().has_deletion_timestamp() != after.metadata().has_deletion_timestamp() ||
         before.status().has_start_time() != after.status().has_start_time() ||
         !same_labels(before.metadata().labels(), after.metadata().labels());
}

/// What may let a waiting pod be placed: everything but its status, which is mostly written by the
/// scheduler itself.
bool matters_waiting(const k8s::Pod& before, const k8s::Pod& after) {
  return !same_labels(before.metadata().labels(), after.metadata().labels()) ||
         !same_labels(before.metadata().annotations(), after.metadata().annotations()) ||
         before.spec().SerializeAsString() != after.spec().SerializeAsString();
}

}  // namespace

ClusterFeed::ClusterFeed(ApiClient& api, std::string scheduler_name, bool pop_from_backoff)
    : scheduler_name_(std::move(scheduler_name)),
      pop_from_backoff_(pop_from_backoff),
      state_(std::make_unique<State>(pop_from_backoff)),
      nodes_(api),
      pods_(api),
      budgets_(api),
      services_(api),
      replica_sets_(api),
      stateful_sets_(api) {
  watch_nodes();
  watch_pods();
}

void ClusterFeed::watch_nodes() {
  nodes_.on_add([this](Context& context, const NodeObject& node) { node_added(context, node); });
  nodes_.on_update([this](Context& context, const NodeObject&, const NodeObject& after) {
    node_updated(context, after);
  });
  nodes_.on_delete(
      [this](Context& context, const NodeObject& node) { node_deleted(context, node); });
}

void ClusterFeed::watch_pods() {
  pods_.on_add([this](Context& context, const PodObject& pod) { pod_added(context, pod); });
  pods_.on_update([this](Context& context, const PodObject& before, const PodObject& after) {
    if (before->metadata().uid() != after->metadata().uid()) {
      pod_deleted(context, before);
      pod_added(context, after);
    } else {
      pod_updated(context, before, after);
    }
  });
  pods_.on_delete([this](Context& context, const PodObject& pod) { pod_deleted(context, pod); });
}

void ClusterFeed::start(Context& context, std::function<void(Context&)> changed) {
  changed_ = std::move(changed);
  const auto synced = [this](Context& later) { changed_(later); };
  nodes_.on_synced(synced);
  pods_.on_synced(synced);
  nodes_.start(context);
  pods_.start(context);
  budgets_.start(context);
  services_.start(context);
  replica_sets_.start(context);
  stateful_sets_.start(context);
}

void ClusterFeed::begin_anew(Context& context) {
  state_ = std::make_unique<State>(pop_from_backoff_);
  for (const auto& [path, node] : nodes_.cache()) state_->cache.set_node(node);
  for (const auto& [path, pod] : pods_.cache()) pod_added(context, pod);
}

ClusterFeed::PodObject ClusterFeed::current(const k8s::Pod& pod) const {
  PodObject found = pods_.get(pod.metadata().namespace_(), pod.metadata().name());
  return found && found->metadata().uid() == pod.metadata().uid() ? found : nullptr;
}

std::optional<k8s::LabelSelector> ClusterFeed::default_spread(const k8s::Pod& pod) const {
  k8s::LabelSelector selector;
  for (const auto& [path, service] : services_.cache()) add_service(*service, pod, selector);
  const k8s::OwnerReference* owner = controller_of(pod.metadata());
  if (owner != nullptr && owner->kind() == "ReplicaSet") {
    if (auto set = replica_sets_.get(pod.metadata().namespace_(), owner->name())) {
      add_controller(set->spec().selector(), selector);
    }
  } else if (owner != nullptr && owner->kind() == "StatefulSet") {
    if (auto set = stateful_sets_.get(pod.metadata().namespace_(), owner->name())) {
      add_controller(set->spec().selector(), selector);
    }
  }
  return usable(std::move(selector));
}

Budgets ClusterFeed::budgets() const {
  Budgets budgets;
  for (const auto& [path, budget] : budgets_.cache()) budgets.push_back(budget);
  return budgets;
}

bool ClusterFeed::is_ours(const k8s::Pod& pod) const {
  return pod.spec().scheduler_name() == scheduler_name_;
}

scheduling::PodPtr ClusterFeed::info(const PodObject& pod) {
  return scheduling::make_pod_info(pod, state_->cache.label_classes());
}

void ClusterFeed::event(Context& context, ClusterEvent event) {
  state_->queue.on_event(event, context.now());
  changed_(context);
}

void ClusterFeed::node_added(Context& context, const NodeObject& node) {
  state_->cache.set_node(node);
  const auto& facts = state_->cache.find_node(node->metadata().name())->shared_facts();
  event(context, {.kind = Kind::NodeAdded, .node = facts});
}

void ClusterFeed::node_updated(Context& context, const NodeObject& node) {
  const std::string& name = node->metadata().name();
  const auto before = state_->cache.find_node(name)->shared_facts();
  state_->cache.set_node(node);
  const auto& after = state_->cache.find_node(name)->shared_facts();
  if (!is_relevant(*before, *after)) return;
  event(context, {.kind = Kind::NodeChanged, .node_before = before, .node = after});
}

void ClusterFeed::node_deleted(Context& context, const NodeObject& node) {
  const std::string& name = node->metadata().name();
  const auto before = state_->cache.find_node(name)->shared_facts();
  state_->cache.remove_node(name);
  event(context, {.kind = Kind::NodeRemoved, .node_before = before});
}

void ClusterFeed::pod_added(Context& context, const PodObject& pod) {
  if (scheduling::is_finished(*pod)) return;
  if (!pod->spec().node_name().empty()) {
    assigned(context, pod);
    return;
  }
  if (!is_ours(*pod)) return;
  const scheduling::PodPtr added = info(pod);
  if (!pod->status().nominated_node_name().empty()) state_->nominator.update(added);
  state_->queue.add(added, context.now());
  changed_(context);
}

void ClusterFeed::pod_updated(Context& context, const PodObject& before, const PodObject& after) {
  if (scheduling::is_finished(*after)) {
    if (!scheduling::is_finished(*before)) leave(context, before);
    return;
  }
  if (after->spec().node_name().empty()) {
    if (is_ours(*after)) waiting_updated(context, before, after);
    return;
  }
  if (before->spec().node_name().empty()) {
    assigned(context, after);
  } else if (matters_on_node(*before, *after)) {
    const scheduling::PodPtr changed = info(after);
    state_->cache.set_pod(changed);
    if (!same_labels(before->metadata().labels(), after->metadata().labels())) {
      event(context, {.kind = Kind::PodChanged, .pod = changed});
    }
  }
}

void ClusterFeed::waiting_updated(Context& context, const PodObject& before,
                                  const PodObject& after) {
  const std::string& uid = after->metadata().uid();
  if (state_->cache.is_assumed(uid)) return;
  const scheduling::PodPtr changed = info(after);
  // A nomination that this scheduler just made is not in the pod yet: only a change of the field
  // says anything.
  if (before->status().nominated_node_name() != after->status().nominated_node_name()) {
    state_->nominator.update(changed);
  }
  if (!matters_waiting(*before, *after)) return;
  state_->queue.update(changed, context.now());
  changed_(context);
}

void ClusterFeed::assigned(Context& context, const PodObject& pod) {
  const scheduling::PodPtr placed = info(pod);
  state_->queue.remove(placed->uid());
  state_->nominator.withdraw(placed->uid());
  state_->cache.set_pod(placed);
  event(context, {.kind = Kind::PodAssigned, .pod = placed});
}

void ClusterFeed::pod_deleted(Context& context, const PodObject& pod) {
  if (!scheduling::is_finished(*pod)) leave(context, pod);
}

void ClusterFeed::leave(Context& context, const PodObject& pod) {
  const std::string& uid = pod->metadata().uid();
  const bool held_room =
      state_->cache.node_of_pod(uid) != nullptr || state_->nominator.node_of(uid) != nullptr;
  state_->queue.remove(uid);
  state_->nominator.withdraw(uid);
  state_->cache.remove_pod(uid);
  if (held_room) event(context, {.kind = Kind::PodRemoved, .pod = info(pod)});
}

}  // namespace troupe::kube_scheduler
