#include "actors/karpenter/state/cluster_state.h"

#include <algorithm>

#include "actors/api_client/object_key.h"
#include "actors/karpenter/state/pod_rules.h"
#include "actors/workloads/objects/pods.h"

namespace troupe::karpenter {

std::string ClusterState::id_of(const k8s::Node& node) {
  // A node that no cloud made has no provider id.
  return node.spec().provider_id().empty() ? node.metadata().name() : node.spec().provider_id();
}

void ClusterState::set_pod(const PodPtr& pod) {
  const std::string path = path_of(pod->metadata());
  if (is_provisionable(*pod)) {
    provisionable_[path] = pod;
  } else {
    provisionable_.erase(path);
  }
  const std::string& node = pod->spec().node_name();
  if (node.empty() || is_terminal(*pod)) {
    unbind(path);
    return;
  }
  const auto [at, added] = bindings_.try_emplace(path, node);
  if (!added && at->second != node) {  // another pod of that name
    unbind(path);
    bindings_[path] = node;
  }
  PodPtr& mine = pods_by_node_[node][path];
  const bool same_pod = mine != nullptr && mine->metadata().uid() == pod->metadata().uid();
  mine = pod;
  if (!same_pod) usage_.erase(node);
}

void ClusterState::unbind(const std::string& path) {
  const auto at = bindings_.find(path);
  if (at == bindings_.end()) return;
  const auto pods = pods_by_node_.find(at->second);
  pods->second.erase(path);
  usage_.erase(at->second);
  if (pods->second.empty()) pods_by_node_.erase(pods);
  bindings_.erase(at);
}

void ClusterState::erase_pod(const std::string& path) {
  provisionable_.erase(path);
  unbind(path);
}

void ClusterState::set_node(const NodePtr& node) {
  const std::string& name = node->metadata().name();
  const std::string id = id_of(*node);
  const auto [at, added] = node_ids_.try_emplace(name, id);
  if (!added &&
      at->second != id) {  // it had no provider id at first, or is another machine of that name
    erase_node(name);
    node_ids_[name] = id;
  }
  entries_[id].nodes[name] = node;
}

void ClusterState::erase_node(const std::string& name) {
  const auto at = node_ids_.find(name);
  if (at == node_ids_.end()) return;
  const std::string id = at->second;
  node_ids_.erase(at);
  entries_[id].nodes.erase(name);
  drop_if_empty(id);
}

void ClusterState::set_claim(const ClaimPtr& claim) {
  const std::string& id = claim->status().provider_id();
  claim_ids_[claim->metadata().name()] = id;
  if (!id.empty()) entries_[id].claim = claim;
}

void ClusterState::erase_claim(const std::string& name) {
  const auto at = claim_ids_.find(name);
  if (at == claim_ids_.end()) return;
  const std::string id = at->second;
  claim_ids_.erase(at);
  if (id.empty()) return;
  entries_[id].claim = nullptr;
  drop_if_empty(id);
}

void ClusterState::drop_if_empty(const std::string& provider_id) {
  const auto at = entries_.find(provider_id);
  if (at != entries_.end() && at->second.is_empty()) entries_.erase(at);
}

void ClusterState::nominate(const std::string& provider_id, SimTime until) {
  const auto at = entries_.find(provider_id);
  if (at != entries_.end()) at->second.nominated_until = until;
}

void ClusterState::mark_for_deletion(const std::string& provider_id, bool marked) {
  const auto at = entries_.find(provider_id);
  if (at != entries_.end()) at->second.marked_for_deletion = marked;
}

bool ClusterState::synced() const {
  return std::ranges::none_of(claim_ids_, [](const auto& entry) { return entry.second.empty(); });
}

const ClusterState::Usage& ClusterState::usage_of(const std::string& node) const {
  const auto [at, added] = usage_.try_emplace(node);
  Usage& usage = at->second;
  if (!added) return usage;
  const auto pods = pods_by_node_.find(node);
  if (pods == pods_by_node_.end()) return usage;
  for (const auto& [path, pod] : pods->second) {
    const Resources requests = Resources::requested_by(*pod);
    usage.pods.add(requests);
    if (is_daemon(*pod)) usage.daemons.add(requests);
    usage.ports.add(host_ports_of(pod->spec()));
  }
  return usage;
}

StateNode ClusterState::view_of(const Entry& entry) const {
  StateNode view;
  view.claim = entry.claim;
  view.marked_for_deletion = entry.marked_for_deletion;
  view.nominated_until = entry.nominated_until;
  if (entry.nodes.empty()) return view;
  view.node = entry.nodes.begin()->second;
  const Usage& usage = usage_of(view.node->metadata().name());
  view.pod_requests = usage.pods;
  view.daemon_requests = usage.daemons;
  view.ports = usage.ports;
  return view;
}

std::vector<StateNode> ClusterState::nodes() const {
  std::vector<StateNode> result;
  result.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) result.push_back(view_of(entry));
  return result;
}

std::vector<ClusterState::PodPtr> ClusterState::pods_on(std::string_view node) const {
  std::vector<PodPtr> result;
  const auto at = pods_by_node_.find(node);
  if (at == pods_by_node_.end()) return result;
  for (const auto& [path, pod] : at->second) result.push_back(pod);
  return result;
}

std::vector<BoundPod> ClusterState::bound_pods() const {
  std::vector<BoundPod> result;
  for (const auto& [name, pods] : pods_by_node_) {
    const NodePtr node = find_node(name);
    if (node == nullptr) continue;  // what a vanished node left behind does not run
    for (const auto& [path, pod] : pods) result.push_back({pod, node});
  }
  return result;
}

std::vector<ClusterState::PodPtr> ClusterState::pods_to_move(const DisruptionLimits& limits,
                                                             SimTime now) const {
  std::vector<PodPtr> result;
  for (const auto& [id, entry] : entries_) {
    const StateNode view = view_of(entry);
    if (view.node == nullptr || !view.is_leaving()) continue;
    for (const PodPtr& pod : pods_on(view.node->metadata().name())) {
      if (is_reschedulable(*pod) && !is_protected(*pod, now) && !limits.blocks_for_ever(*pod)) {
        result.push_back(pod);
      }
    }
  }
  return result;
}

Resources ClusterState::pool_usage(std::string_view pool) const {
  Resources total;
  for (const auto& [id, entry] : entries_) {
    const StateNode view = view_of(entry);
    if (view.pool() == pool) total.add(view.capacity());
  }
  return total;
}

ClusterState::NodePtr ClusterState::find_node(std::string_view name) const {
  const auto id = node_ids_.find(std::string(name));
  return id != node_ids_.end() ? entries_.at(id->second).nodes.at(id->first) : nullptr;
}

ClusterState::NodePtr ClusterState::node_of(std::string_view provider_id) const {
  const auto at = entries_.find(std::string(provider_id));
  return at != entries_.end() && at->second.nodes.size() == 1 ? at->second.nodes.begin()->second
                                                              : nullptr;
}

std::size_t ClusterState::nodes_with(std::string_view provider_id) const {
  const auto at = entries_.find(std::string(provider_id));
  return at != entries_.end() ? at->second.nodes.size() : 0;
}

std::vector<ClusterState::NodePtr> ClusterState::nodes_of(std::string_view provider_id) const {
  std::vector<NodePtr> result;
  const auto at = entries_.find(std::string(provider_id));
  if (at == entries_.end()) return result;
  for (const auto& [name, node] : at->second.nodes) result.push_back(node);
  return result;
}

ClusterState::ClaimPtr ClusterState::claim_of(std::string_view provider_id) const {
  const auto at = entries_.find(std::string(provider_id));
  return at != entries_.end() ? at->second.claim : nullptr;
}

}  // namespace troupe::karpenter
