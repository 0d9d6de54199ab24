#include "actors/scheduling/cluster_cache.h"

#include "messages/assert.h"

namespace troupe::scheduling {

std::optional<std::size_t> Snapshot::find(const std::string& name) const {
  const auto at = index_.find(name);
  return at != index_.end() ? std::optional(at->second) : std::nullopt;
}

std::size_t Snapshot::nodes_with_image(const std::string& image) const {
  const auto at = image_nodes_.find(image);
  return at != image_nodes_.end() ? at->second : 0;
}

void ClusterCache::set_node(std::shared_ptr<const k8s::Node> node) {
  const std::shared_ptr<const NodeFacts> facts = facts_of(std::move(node));
  const std::string& name = facts->name();
  NodeInfo& info = node_slot(name);
  const bool moved = !info.exists() || info.facts().zone != facts->zone;
  if (info.exists()) {
    if (moved) tree_.remove(info.facts().zone, name);
    count_images(info.facts(), -1);
  }
  if (moved) {
    tree_.add(facts->zone, name);
    ++layout_;
  }
  count_images(*facts, 1);
  info.set_facts(facts);
  touch(name);
}

void ClusterCache::remove_node(const std::string& name) {
  const auto at = nodes_.find(name);
  if (at == nodes_.end() || !at->second.exists()) return;
  tree_.remove(at->second.facts().zone, name);
  count_images(at->second.facts(), -1);
  ++layout_;
  // Pods may outlive their node in the API server: the slot stays until the last one is gone.
  if (at->second.pods().empty()) {
    nodes_.erase(at);
  } else {
    at->second.clear_facts();
  }
}

const NodeInfo* ClusterCache::find_node(const std::string& name) const {
  const auto at = nodes_.find(name);
  return at != nodes_.end() && at->second.exists() ? &at->second : nullptr;
}

void ClusterCache::set_pod(PodPtr pod) {
  const std::string node = pod->pod->spec().node_name();
  const auto at = pods_.find(pod->uid());
  if (at != pods_.end()) {
    take_off(at->second);
    pods_.erase(at);
  }
  place(std::move(pod), node, false);
}

void ClusterCache::remove_pod(const std::string& uid) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  take_off(at->second);
  pods_.erase(at);
}

void ClusterCache::assume(PodPtr pod, const std::string& node) {
  TROUPE_ASSERT(!pods_.contains(pod->uid()), "pod " + pod->full_name() + " is placed twice");
  place(std::move(pod), node, true);
}

void ClusterCache::forget(const std::string& uid) {
  if (is_assumed(uid)) remove_pod(uid);
}

bool ClusterCache::is_assumed(const std::string& uid) const {
  const auto at = pods_.find(uid);
  return at != pods_.end() && at->second.assumed;
}

const std::string* ClusterCache::node_of_pod(const std::string& uid) const {
  const auto at = pods_.find(uid);
  return at != pods_.end() ? &at->second.node : nullptr;
}

PodPtr ClusterCache::find_pod(const std::string& uid) const {
  const auto at = pods_.find(uid);
  return at != pods_.end() ? at->second.pod : nullptr;
}

void ClusterCache::refresh(Snapshot& snapshot) {
  if (snapshot.layout_ != layout_) {
    rebuild(snapshot);
  } else {
    for (const std::string& name : changed_) {
      const auto at = snapshot.index_.find(name);
      if (at != snapshot.index_.end()) snapshot.nodes_[at->second] = nodes_.at(name);
    }
  }
  if (images_changed_) snapshot.image_nodes_ = image_nodes_;
  images_changed_ = false;
  snapshot.any_affinity_ = pods_with_affinity_ > 0;
  changed_.clear();
}

void ClusterCache::rebuild(Snapshot& snapshot) const {
  snapshot.nodes_.clear();
  snapshot.index_.clear();
  snapshot.nodes_.reserve(tree_.size());
  for (const std::string& name : tree_.ordered()) {
    snapshot.index_.emplace(name, snapshot.nodes_.size());
    snapshot.nodes_.push_back(nodes_.at(name));
  }
  snapshot.layout_ = layout_;
}

NodeInfo& ClusterCache::node_slot(const std::string& name) {
  return nodes_.try_emplace(name, name).first->second;
}

void ClusterCache::place(PodPtr pod, const std::string& node, bool assumed) {
  node_slot(node).add_pod(pod);
  if (pod->affinity) ++pods_with_affinity_;
  touch(node);
  const std::string& uid = pod->uid();
  pods_.emplace(uid, Placed{pod, node, assumed});
}

void ClusterCache::take_off(const Placed& placed) {
  const auto at = nodes_.find(placed.node);
  TROUPE_ASSERT(at != nodes_.end() && at->second.remove_pod(placed.pod->uid()),
                "pod " + placed.pod->full_name() + " is not on node " + placed.node);
  if (placed.pod->affinity) --pods_with_affinity_;
  touch(placed.node);
  if (!at->second.exists() && at->second.pods().empty()) nodes_.erase(at);
}

void ClusterCache::touch(const std::string& node) {
  if (changed_.empty() || changed_.back() != node) changed_.push_back(node);
}

void ClusterCache::count_images(const NodeFacts& facts, int sign) {
  for (const ImageSize& image : facts.images) {
    std::size_t& nodes = image_nodes_[image.name];
    nodes = sign > 0 ? nodes + 1 : nodes - 1;
    if (nodes == 0) image_nodes_.erase(image.name);
    images_changed_ = true;
  }
}

}  // namespace troupe::scheduling
