#include "actors/scheduling/filters.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

/// The taint that stands for `spec.unschedulable`: a pod that tolerates it is placed on a cordoned
/// node.
k8s::Taint cordon_taint() {
  k8s::Taint taint;
  taint.set_key("node.kubernetes.io/unschedulable");
  taint.set_effect("NoSchedule");
  return taint;
}

/// Collects what is short, and whether the node would be too small even if it were empty.
class Shortage {
 public:
  void compare(std::uint32_t resource, std::int64_t wanted, std::int64_t used,
               std::int64_t allocatable) {
    if (wanted <= 0 || wanted <= allocatable - used) return;
    detail_ |= resource;
    if (wanted > allocatable) hopeless_ = true;
  }
  [[nodiscard]] Rejection result() const {
    if (detail_ == 0) return {};
    return {Plugin::NodeResourcesFit, !hopeless_, detail_, nullptr};
  }

 private:
  std::uint32_t detail_ = 0;
  bool hopeless_ = false;
};

}  // namespace

Rejection check_resources(const PodInfo& pod, const NodeInfo& node) {
  const Resources& wanted = pod.requests;
  const Resources& used = node.requested();
  const Resources& all = node.allocatable();
  Shortage shortage;
  shortage.compare(Rejection::kPods, wanted.pods, used.pods, all.pods);
  shortage.compare(Rejection::kCpu, wanted.milli_cpu, used.milli_cpu, all.milli_cpu);
  shortage.compare(Rejection::kMemory, wanted.memory_bytes, used.memory_bytes, all.memory_bytes);
  shortage.compare(Rejection::kEphemeral, wanted.ephemeral_bytes, used.ephemeral_bytes,
                   all.ephemeral_bytes);
  shortage.compare(Rejection::kGpu, wanted.milli_gpu, used.milli_gpu, all.milli_gpu);
  std::uint32_t resource = Rejection::kFirstOther;
  for (const auto& [name, amount] : wanted.others) {
    shortage.compare(resource, amount, used.amount_of(name), all.amount_of(name));
    resource <<= 1;
  }
  return shortage.result();
}

Filters::Filters(const PodInfo& pod, const Snapshot& snapshot)
    : pod_(&pod),
      selects_nodes_(selects_nodes(pod.pod->spec())),
      tolerates_cordon_(tolerates(pod.pod->spec().tolerations(), cordon_taint())),
      spread_(pod, snapshot),
      affinity_(pod, snapshot) {}

Rejection Filters::check(const NodeInfo& node) const {
  if (const Rejection rejection = check_node(node)) return rejection;
  if (const Rejection rejection = check_resources(*pod_, node)) return rejection;
  return check_pods(node);
}

Rejection Filters::check_all_but_resources(const NodeInfo& node) const {
  if (const Rejection rejection = check_node(node)) return rejection;
  return check_pods(node);
}

Rejection Filters::check_node(const NodeInfo& node) const {
  const NodeFacts& facts = node.facts();
  const k8s::PodSpec& spec = pod_->pod->spec();
  if (facts.unschedulable && !tolerates_cordon_)
    return {Plugin::NodeUnschedulable, false, 0, nullptr};
  if (!spec.node_name().empty() && spec.node_name() != facts.name()) {
    return {Plugin::NodeName, false, 0, nullptr};
  }
  if (facts.has_hard_taints) {
    if (const k8s::Taint* taint = first_untolerated(facts.taints(), spec.tolerations())) {
      return {Plugin::TaintToleration, false, 0, taint};
    }
  }
  if (selects_nodes_ && !matches_node(spec, *facts.node)) {
    return {Plugin::NodeAffinity, false, 0, nullptr};
  }
  const auto conflicts = [&node](const HostPort& port) { return node.port_conflicts(port); };
  if (std::any_of(pod_->host_ports.begin(), pod_->host_ports.end(), conflicts)) {
    return {Plugin::NodePorts, true, 0, nullptr};
  }
  return {};
}

Rejection Filters::check_pods(const NodeInfo& node) const {
  if (!spread_.empty()) {
    if (const Rejection rejection = spread_.check(node.facts())) return rejection;
  }
  return affinity_.empty() ? Rejection{} : affinity_.check(node.facts());
}

void Filters::update(const PodInfo& other, const NodeInfo& node, int delta) {
  spread_.update(other, node.facts(), delta);
  affinity_.update(other, node.facts(), delta);
}

}  // namespace troupe::scheduling
