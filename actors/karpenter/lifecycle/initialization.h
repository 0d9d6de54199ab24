// The third step of a NodeClaim's life: the node can do what it was launched for.
//
// Ready, startup taints gone, taints of starting gone, and every resource that the claim's pods
// asked for allocatable. No time limit applies: a device plugin that never comes keeps the claim
// here for ever, with the pods that wait for it.
#pragma once

#include "messages/k8s/core.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// Whether the node is done; if not, the claim says what it waits for. `node` may be null.
bool check_initialized(NodeClaim& claim, const k8s::Node* node, SimTime now);

void record_initialization(NodeClaim& claim, SimTime now);

}  // namespace troupe::karpenter
