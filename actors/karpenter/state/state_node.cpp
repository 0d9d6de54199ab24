#include "actors/karpenter/state/state_node.h"

#include <algorithm>
#include <array>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"
#include "messages/conditions.h"

namespace troupe::karpenter {
namespace {

struct TaintName {
  std::string_view key;
  std::string_view effect;
};
/// Karpenter v1, pkg/scheduling/taints.go: KnownEphemeralTaints.
constexpr std::array<TaintName, 5> kEphemeralTaints = {
    {{kNotReadyTaint, kNoSchedule},
     {kNotReadyTaint, kNoExecute},
     {kUnreachableTaint, kNoSchedule},
     {"node.cloudprovider.kubernetes.io/uninitialized", kNoSchedule},
     {kUnregisteredTaint, kNoExecute}}};
/// The same file: KnownEphemeralTaintKeyPrefixes.
constexpr std::string_view kReadinessTaintPrefix = "readiness.k8s.io/";

}  // namespace

bool is_ephemeral(const k8s::Taint& taint) {
  return taint.key().starts_with(kReadinessTaintPrefix) ||
         std::ranges::any_of(kEphemeralTaints, [&taint](const TaintName& name) {
           return taint.key() == name.key && taint.effect() == name.effect;
         });
}

const std::string& StateNode::name() const {
  if (node == nullptr) return claim->metadata().name();
  if (claim == nullptr || registered()) return node->metadata().name();
  return claim->metadata().name();
}

const std::string& StateNode::provider_id() const {
  return node != nullptr && !node->spec().provider_id().empty() ? node->spec().provider_id()
         : claim != nullptr                                     ? claim->status().provider_id()
                                                                : node->metadata().name();
}

std::string StateNode::host_name() const {
  const std::string* label = find_label(labels(), kHostnameLabel);
  return label != nullptr ? *label : name();
}

const LabelMap& StateNode::labels() const {
  return speaks_through_claim() ? claim->metadata().labels() : node->metadata().labels();
}

const LabelMap& StateNode::annotations() const {
  return speaks_through_claim() ? claim->metadata().annotations() : node->metadata().annotations();
}

std::string StateNode::pool() const {
  return std::string(label_or(labels(), kNodePoolLabel));
}

bool StateNode::registered() const {
  if (!managed()) return true;
  return node != nullptr && has_label(node->metadata().labels(), kRegisteredLabel, "true");
}

bool StateNode::initialized() const {
  if (!managed()) return true;
  return node != nullptr && has_label(node->metadata().labels(), kInitializedLabel, "true");
}

bool StateNode::is_leaving() const {
  if (marked_for_deletion) return true;
  if (claim == nullptr) return node->metadata().has_deletion_timestamp();
  return claim->metadata().has_deletion_timestamp() ||
         is_true(claim->status().conditions(), "InstanceTerminating");
}

Taints StateNode::taints() const {
  Taints result = speaks_through_claim() ? claim->spec().taints() : node->spec().taints();
  if (initialized()) return result;
  const auto passes = [this](const k8s::Taint& taint) {
    return is_ephemeral(taint) ||
           find_taint(claim->spec().startup_taints(), taint.key(), taint.effect()) != nullptr;
  };
  result.erase(std::remove_if(result.begin(), result.end(), passes), result.end());
  return result;
}

Resources StateNode::capacity() const {
  Resources result;
  if (node != nullptr) result = Resources::of(node->status().capacity());
  if (!initialized()) result.fill_zeros_from(Resources::of(claim->status().capacity()));
  result.set(kNodes, 1);
  return result;
}

Resources StateNode::allocatable() const {
  Resources result;
  if (node != nullptr) result = Resources::of(node->status().allocatable());
  if (!initialized()) result.fill_zeros_from(Resources::of(claim->status().allocatable()));
  return result;
}

Resources StateNode::available() const {
  Resources result = allocatable();
  result.subtract(pod_requests);
  return result;
}

}  // namespace troupe::karpenter
