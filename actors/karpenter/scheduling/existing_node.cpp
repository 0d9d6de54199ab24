#include "actors/karpenter/scheduling/existing_node.h"

#include <algorithm>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"

namespace troupe::karpenter {

ExistingNode::ExistingNode(const StateNode& node, Resources daemons)
    : node_(node),
      taints_(node.taints()),
      remaining_(node.available()),
      requirements_(Requirements::of_labels(node.labels())) {
  // Room for the daemons that are still to come. One that nobody expected takes no more than its
  // own.
  daemons.subtract(node.daemon_requests);
  daemons.clamp_at_zero();
  remaining_.subtract(daemons);
  requirements_.add(ValueSet(kHostnameLabel, Operator::In, {node.host_name()}));
}

Result<Requirements> ExistingNode::can_add(const SimulatedPod& pod,
                                           const Topology& topology) const {
  const bool tolerated = std::ranges::all_of(
      taints_, [&pod](const k8s::Taint& taint) { return tolerates(pod.tolerations(), taint); });
  if (!tolerated) return fail("did not tolerate taint");
  if (node_.ports.conflicts(pod.ports())) return fail("checking host port usage");
  if (!remaining_.fits(pod.requests())) return fail("exceeds node resources");
  if (!requirements_.is_compatible(pod.requirements(), Undefined::Refused)) {
    return fail("incompatible requirements");
  }
  Requirements with_pod = requirements_;
  with_pod.add(pod.requirements());
  if (pod.volumes().empty()) return with_volume(pod, std::move(with_pod), nullptr, topology);
  Result<Requirements> result = fail("no volume topology");
  for (const Requirements& volume : pod.volumes()) {
    result = with_volume(pod, with_pod, &volume, topology);
    if (result) break;
  }
  return result;
}

Result<Requirements> ExistingNode::with_volume(const SimulatedPod& pod, Requirements node,
                                               const Requirements* volume,
                                               const Topology& topology) const {
  if (volume != nullptr) {
    if (!node.is_compatible(*volume, Undefined::Refused))
      return fail("incompatible volume requirements");
    node.add(*volume);
  }
  Result<Requirements> narrowed = topology.add_requirements(pod, taints_, node);
  if (!narrowed) return narrowed;
  if (!node.is_compatible(*narrowed, Undefined::Refused)) return fail("incompatible topology");
  node.add(*narrowed);
  return node;
}

void ExistingNode::add(const SimulatedPod& pod, Requirements requirements, Topology& topology) {
  pods_.push_back(pod.shared());
  remaining_.subtract(pod.requests());
  requirements_ = std::move(requirements);
  node_.ports.add(pod.ports());
  topology.record(pod, taints_, requirements_);
}

}  // namespace troupe::karpenter
