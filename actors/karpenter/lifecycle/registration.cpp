#include "actors/karpenter/lifecycle/registration.h"

#include <algorithm>

#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/objects/taints.h"
#include "messages/kinds.h"

namespace troupe::karpenter {
namespace {

void add_owner(k8s::Node& node, const NodeClaim& claim) {
  auto& owners = *node.mutable_metadata()->mutable_owner_references();
  const bool there = std::ranges::any_of(
      owners, [&claim](const auto& owner) { return owner.uid() == claim.metadata().uid(); });
  if (there) return;
  k8s::OwnerReference& owner = *owners.Add();
  owner.set_api_version(std::string(kind_of<NodeClaim>().versions.front()));
  owner.set_kind(std::string(kind_of<NodeClaim>().name));
  owner.set_name(claim.metadata().name());
  owner.set_uid(claim.metadata().uid());
  owner.set_block_owner_deletion(true);
}

}  // namespace

bool check_nodes(NodeClaim& claim, std::size_t nodes, SimTime now) {
  if (nodes == 1) return true;
  if (nodes == 0) {
    set_unknown(claim, kRegistered, "NodeNotFound", "Node not registered with cluster", now);
  } else {
    set_condition(
        *claim.mutable_status()->mutable_conditions(),
        {kRegistered, "False", "MultipleNodesFound", "Invariant violated, matched multiple nodes"},
        now);
  }
  return false;
}

k8s::Node registered_node(const NodeClaim& claim, const k8s::Node& node) {
  k8s::Node result = node;
  k8s::ObjectMeta& meta = *result.mutable_metadata();
  add_finalizer(meta, kTerminationFinalizer);
  add_owner(result, claim);
  Taints& taints = *result.mutable_spec()->mutable_taints();
  // Under that label the provider looks after the taints itself.
  if (!has_label(meta.labels(), kDoNotSyncTaintsLabel, "true")) {
    for (const k8s::Taint& taint : claim.spec().taints()) add_taint(taints, taint);
    for (const k8s::Taint& taint : claim.spec().startup_taints()) add_taint(taints, taint);
  }
  merge_labels(*meta.mutable_annotations(), claim.metadata().annotations());
  merge_labels(*meta.mutable_labels(), claim.metadata().labels());
  erase_taint(taints, kUnregisteredTaint, kNoExecute);
  set_label(*meta.mutable_labels(), kRegisteredLabel, "true");
  return result;
}

bool lacks_unregistered_taint(const k8s::Node& node) {
  return find_label(node.metadata().labels(), kRegisteredLabel) == nullptr &&
         find_taint(node.spec().taints(), kUnregisteredTaint, kNoExecute) == nullptr;
}

void record_registration(NodeClaim& claim, const k8s::Node& node, SimTime now) {
  set_true(claim, kRegistered, now);
  claim.mutable_status()->set_node_name(node.metadata().name());
}

}  // namespace troupe::karpenter
