#include "actors/karpenter/lifecycle/initialization.h"

#include <algorithm>
#include <string>

#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/resources.h"
#include "actors/karpenter/state/state_node.h"

namespace troupe::karpenter {
namespace {

const k8s::Taint* startup_taint(const NodeClaim& claim, const k8s::Node& node) {
  for (const k8s::Taint& taint : claim.spec().startup_taints()) {
    const k8s::Taint* there = find_taint(node.spec().taints(), taint.key(), taint.effect());
    if (there != nullptr) return there;
  }
  return nullptr;
}

const k8s::Taint* ephemeral_taint(const k8s::Node& node) {
  const auto at = std::ranges::find_if(node.spec().taints(), is_ephemeral);
  return at != node.spec().taints().end() ? &*at : nullptr;
}

/// A resource that was asked for and is not allocatable yet; empty if there is none.
std::string missing_resource(const NodeClaim& claim, const k8s::Node& node) {
  const Resources allocatable = Resources::of(node.status().allocatable());
  const Resources requests = Resources::of(claim.spec().resources().requests());
  for (const auto& [name, amount] : requests.all()) {
    if (amount != 0 && allocatable.get(name) == 0) return name;
  }
  return {};
}

}  // namespace

bool check_initialized(NodeClaim& claim, const k8s::Node* node, SimTime now) {
  const auto wait = [&](std::string_view reason, const std::string& message) {
    set_unknown(claim, kInitialized, reason, message, now);
    return false;
  };
  if (node == nullptr) return wait("NodeNotFound", "Node not registered with cluster");
  if (!is_true(node->status().conditions(), "Ready")) {
    return wait("NodeNotReady", "Node status is NotReady");
  }
  if (const k8s::Taint* taint = startup_taint(claim, *node)) {
    return wait("StartupTaintsExist", "StartupTaint \"" + to_string(*taint) + "\" still exists");
  }
  if (const k8s::Taint* taint = ephemeral_taint(*node)) {
    return wait("KnownEphemeralTaintsExist",
                "KnownEphemeralTaint \"" + to_string(*taint) + "\" still exists");
  }
  if (const std::string name = missing_resource(claim, *node); !name.empty()) {
    return wait("ResourceNotRegistered",
                "Resource \"" + name + "\" was requested but not registered");
  }
  return true;
}

void record_initialization(NodeClaim& claim, SimTime now) {
  set_true(claim, kInitialized, now);
  set_true(claim, kReady, now);
}

}  // namespace troupe::karpenter
