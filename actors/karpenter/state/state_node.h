// A node as Karpenter's cluster state has it: the Node, the NodeClaim or both, joined by provider
// id, with what its pods ask of it.
//
// Until a claim is registered and initialized, what is known of it comes from the claim: its
// labels, its taints, and each amount that the node still reports as 0. That is how a GPU whose
// device plugin is late is taken for present.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/karpenter/scheduling/host_ports.h"
#include "actors/karpenter/scheduling/resources.h"
#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/objects/taints.h"
#include "messages/k8s/core.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/sim_time.h"

namespace troupe::karpenter {

/// A taint that comes and goes while a node starts; ignored on managed nodes until they are
/// initialized.
[[nodiscard]] bool is_ephemeral(const k8s::Taint& taint);

struct StateNode {
  std::shared_ptr<const k8s::Node> node;
  std::shared_ptr<const NodeClaim> claim;
  Resources pod_requests;     ///< of all pods bound to it
  Resources daemon_requests;  ///< of those that DaemonSets own
  HostPorts ports;
  bool marked_for_deletion = false;  ///< a disruption command deletes it
  SimTime nominated_until = kTimeZero;

  /// The node's name once it is registered, the claim's before.
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& provider_id() const;
  [[nodiscard]] std::string host_name() const;
  [[nodiscard]] const LabelMap& labels() const;
  [[nodiscard]] const LabelMap& annotations() const;
  [[nodiscard]] std::string pool() const;

  [[nodiscard]] bool managed() const { return claim != nullptr; }
  [[nodiscard]] bool registered() const;
  [[nodiscard]] bool initialized() const;
  /// Deleted, or about to be: its capacity does not count and its pods need another place.
  [[nodiscard]] bool is_leaving() const;
  [[nodiscard]] bool is_nominated(SimTime now) const { return nominated_until > now; }

  /// The taints that a pod must tolerate to go there one day.
  [[nodiscard]] Taints taints() const;
  /// Capacity with one piece of "nodes".
  [[nodiscard]] Resources capacity() const;
  [[nodiscard]] Resources allocatable() const;
  /// Allocatable less the requests of its pods.
  [[nodiscard]] Resources available() const;

 private:
  [[nodiscard]] bool speaks_through_claim() const { return node == nullptr || !registered(); }
};

}  // namespace troupe::karpenter
