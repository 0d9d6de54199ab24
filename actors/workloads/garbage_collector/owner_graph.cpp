#include "actors/workloads/garbage_collector/owner_graph.h"

#include <algorithm>

#include "actors/workloads/objects/metadata.h"
#include "messages/kinds.h"

namespace troupe::workloads {
namespace {

const k8s::OwnerReference* reference_to(const std::vector<k8s::OwnerReference>& owners,
                                        const std::string& uid) {
  const auto at =
      std::ranges::find_if(owners, [&](const auto& owner) { return owner.uid() == uid; });
  return at != owners.end() ? &*at : nullptr;
}

bool blocks(const k8s::OwnerReference* owner) {
  return owner != nullptr && owner->block_owner_deletion();
}

/// Where the owner of an object of that key is.
api::ObjectKey owner_key(const api::ObjectKey& dependent, const k8s::OwnerReference& owner) {
  api::ObjectKey key;
  key.set_kind(owner.kind());
  key.set_name(owner.name());
  const Kind* kind = find_kind(owner.kind());
  if (kind == nullptr || kind->namespaced) key.set_namespace_(dependent.namespace_());
  return key;
}

}  // namespace

GraphWork OwnerGraph::observe(const api::ObjectKey& key, const k8s::ObjectMeta& meta) {
  GraphWork work;
  const std::string& uid = meta.uid();
  GraphNode& node = nodes_[uid];
  node.key = key;
  node.api_version.clear();
  node.seen = true;
  change_owners(uid, node, meta, work);
  node.leaving = meta.has_deletion_timestamp();
  const bool deletes_first = node.leaving && has_finalizer(meta, kForegroundFinalizer);
  if (deletes_first && !node.deletes_first) {
    node.deletes_first = true;
    work.look_at.insert(work.look_at.end(), node.dependents.begin(), node.dependents.end());
    work.look_at.push_back(uid);
  }
  const bool orphans = node.leaving && has_finalizer(meta, kOrphanFinalizer);
  if (orphans && !node.orphans) work.orphan.push_back(uid);
  node.orphans = orphans;
  return work;
}

void OwnerGraph::change_owners(const std::string& uid, GraphNode& node, const k8s::ObjectMeta& meta,
                               GraphWork& work) {
  const std::vector<k8s::OwnerReference> before = std::move(node.owners);
  node.owners.assign(meta.owner_references().begin(), meta.owner_references().end());
  for (const k8s::OwnerReference& owner : before) {
    const k8s::OwnerReference* kept = reference_to(node.owners, owner.uid());
    if (kept == nullptr) unlink(uid, owner);
    // An owner that waits for this one need not do so any longer.
    if (blocks(&owner) && !blocks(kept)) work.look_at.push_back(owner.uid());
  }
  for (const k8s::OwnerReference& owner : node.owners) {
    if (reference_to(before, owner.uid()) == nullptr) link(uid, owner, work);
  }
}

void OwnerGraph::link(const std::string& uid, const k8s::OwnerReference& owner, GraphWork& work) {
  const auto [at, added] = nodes_.try_emplace(owner.uid());
  if (added) {
    at->second.key = owner_key(nodes_.at(uid).key, owner);
    at->second.api_version = owner.api_version();
    work.look_at.push_back(owner.uid());
  }
  at->second.dependents.insert(uid);
}

void OwnerGraph::unlink(const std::string& uid, const k8s::OwnerReference& owner) {
  const auto at = nodes_.find(owner.uid());
  if (at == nodes_.end()) return;
  at->second.dependents.erase(uid);
  // Nobody has seen it and nobody names it any more.
  if (!at->second.seen && at->second.dependents.empty()) nodes_.erase(at);
}

GraphWork OwnerGraph::erase(const std::string& uid) {
  GraphWork work;
  const auto at = nodes_.extract(uid);
  if (at.empty()) return work;
  const GraphNode& node = at.mapped();
  work.look_at.assign(node.dependents.begin(), node.dependents.end());
  for (const k8s::OwnerReference& owner : node.owners) {
    unlink(uid, owner);
    const GraphNode* above = find(owner.uid());
    if (above != nullptr && above->deletes_first) work.look_at.push_back(owner.uid());
  }
  return work;
}

const GraphNode* OwnerGraph::find(const std::string& uid) const {
  const auto at = nodes_.find(uid);
  return at != nodes_.end() ? &at->second : nullptr;
}

std::vector<std::string> OwnerGraph::blockers_of(const std::string& uid) const {
  std::vector<std::string> blockers;
  const GraphNode* node = find(uid);
  if (node == nullptr) return blockers;
  for (const std::string& dependent : node->dependents) {
    const GraphNode* below = find(dependent);
    if (below != nullptr && blocks(reference_to(below->owners, uid))) blockers.push_back(dependent);
  }
  return blockers;
}

}  // namespace troupe::workloads
