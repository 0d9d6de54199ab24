// The second step of a NodeClaim's life: its node has joined, and takes over what the claim says of
// it.
#pragma once

#include <cstddef>
#include <optional>

#include "messages/k8s/core.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// Notes in the claim why it cannot be registered yet: no node, or several, with its provider id.
/// False if that is so.
bool check_nodes(NodeClaim& claim, std::size_t nodes, SimTime now);

/// The node as it is to be: labels, annotations, taints, owner and finalizer of the claim,
/// registered, and without the taint that kept pods away until now.
[[nodiscard]] k8s::Node registered_node(const NodeClaim& claim, const k8s::Node& node);
/// The kubelet was not started with the unregistered taint, so pods could have come before the
/// claim's own taints.
[[nodiscard]] bool lacks_unregistered_taint(const k8s::Node& node);

void record_registration(NodeClaim& claim, const k8s::Node& node, SimTime now);

}  // namespace troupe::karpenter
