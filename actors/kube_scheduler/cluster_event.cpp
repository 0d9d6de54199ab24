#include "actors/kube_scheduler/cluster_event.h"

#include <algorithm>

#include "actors/scheduling/topology_spread.h"
#include "messages/labels.h"

namespace troupe::kube_scheduler {
namespace {

using scheduling::NodeFacts;
using scheduling::Plugin;
using scheduling::PodInfo;
using Kind = ClusterEvent::Kind;

bool is_node_event(const ClusterEvent& event) {
  return event.kind == Kind::NodeAdded || event.kind == Kind::NodeChanged;
}

/// True if the node passes a test now and did not before.
template <class Test>
bool newly(const ClusterEvent& event, Test passes) {
  if (!is_node_event(event) || !passes(*event.node)) return false;
  return !event.node_before || !passes(*event.node_before);
}

bool wanted_grew(const PodInfo& pod, const NodeFacts& before, const NodeFacts& after) {
  const scheduling::Resources& wanted = pod.requests;
  const auto grew = [&](std::int64_t amount, std::int64_t was, std::int64_t is) {
    return amount > 0 && is > was;
  };
  const scheduling::Resources& was = before.allocatable;
  const scheduling::Resources& is = after.allocatable;
  return grew(wanted.milli_cpu, was.milli_cpu, is.milli_cpu) ||
         grew(wanted.memory_bytes, was.memory_bytes, is.memory_bytes) ||
         grew(wanted.ephemeral_bytes, was.ephemeral_bytes, is.ephemeral_bytes) ||
         grew(wanted.milli_gpu, was.milli_gpu, is.milli_gpu) ||
         grew(wanted.pods, was.pods, is.pods) ||
         std::any_of(wanted.others.begin(), wanted.others.end(), [&](const auto& other) {
           return grew(other.second, was.amount_of(other.first), is.amount_of(other.first));
         });
}

bool helps_fit(const ClusterEvent& event, const PodInfo& pod) {
  if (event.kind == Kind::PodRemoved) return true;
  if (!is_node_event(event) || !fits(pod.requests, event.node->allocatable)) return false;
  return !event.node_before || wanted_grew(pod, *event.node_before, *event.node);
}

bool helps_ports(const ClusterEvent& event, const PodInfo& pod) {
  if (event.kind == Kind::NodeAdded) return true;
  if (event.kind != Kind::PodRemoved) return false;
  return std::any_of(pod.host_ports.begin(), pod.host_ports.end(), [&](const auto& port) {
    return std::any_of(event.pod->host_ports.begin(), event.pod->host_ports.end(),
                       [&](const auto& freed) { return freed.conflicts_with(port); });
  });
}

bool labels_changed(const ClusterEvent& event) {
  if (event.kind == Kind::NodeAdded || event.kind == Kind::NodeRemoved) return true;
  return event.kind == Kind::NodeChanged &&
         !same_labels(event.node_before->labels(), event.node->labels());
}

bool helps_spread(const ClusterEvent& event, const PodInfo& pod) {
  if (!event.pod) return labels_changed(event);
  const auto constraints = scheduling::spread_constraints(*pod.pod, "DoNotSchedule");
  return std::any_of(constraints.begin(), constraints.end(), [&](const auto& constraint) {
    return constraint.matches(pod.name_space(), event.pod->name_space(),
                              event.pod->pod->metadata().labels());
  });
}

bool any_matches(const std::vector<scheduling::AffinityTerm>& terms, const PodInfo& other) {
  return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
    return term.matches(other.name_space(), other.pod->metadata().labels());
  });
}

bool helps_affinity(const ClusterEvent& event, const PodInfo& pod) {
  if (!event.pod) return event.kind != Kind::NodeRemoved && labels_changed(event);
  if (pod.affinity && any_matches(pod.affinity->required_affinity, *event.pod)) return true;
  if (event.kind == Kind::PodAssigned) return false;
  return (pod.affinity && any_matches(pod.affinity->required_anti_affinity, *event.pod)) ||
         (event.pod->affinity && any_matches(event.pod->affinity->required_anti_affinity, pod));
}

bool helps(const ClusterEvent& event, Plugin plugin, const PodInfo& pod) {
  const k8s::PodSpec& spec = pod.pod->spec();
  switch (plugin) {
    case Plugin::NodeUnschedulable:
      return newly(event, [](const NodeFacts& node) { return !node.unschedulable; });
    case Plugin::NodeName:
      return event.kind == Kind::NodeAdded;
    case Plugin::TaintToleration:
      return newly(event, [&spec](const NodeFacts& node) {
        return scheduling::first_untolerated(node.taints(), spec.tolerations()) == nullptr;
      });
    case Plugin::NodeAffinity:
      return newly(event, [&spec](const NodeFacts& node) {
        return scheduling::matches_node(spec, *node.node);
      });
    case Plugin::NodePorts:
      return helps_ports(event, pod);
    case Plugin::NodeResourcesFit:
      return helps_fit(event, pod);
    case Plugin::PodTopologySpread:
      return helps_spread(event, pod);
    case Plugin::InterPodAffinity:
      return helps_affinity(event, pod);
    case Plugin::SchedulingGates:
    case Plugin::None:
      break;
  }
  return false;
}

constexpr Plugin kFilterPlugins[] = {Plugin::NodeUnschedulable, Plugin::NodeName,
                                     Plugin::TaintToleration,   Plugin::NodeAffinity,
                                     Plugin::NodePorts,         Plugin::NodeResourcesFit,
                                     Plugin::PodTopologySpread, Plugin::InterPodAffinity};

bool same_taints(const scheduling::TaintList& a, const scheduling::TaintList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.key() == y.key() && x.value() == y.value() && x.effect() == y.effect();
  });
}

}  // namespace

bool may_help(const ClusterEvent& event, scheduling::PluginSet refused_by,
              const scheduling::PodInfo& pod) {
  return std::any_of(std::begin(kFilterPlugins), std::end(kFilterPlugins), [&](Plugin plugin) {
    return (refused_by & scheduling::bit(plugin)) != 0 && helps(event, plugin, pod);
  });
}

bool is_relevant(const NodeFacts& before, const NodeFacts& after) {
  return before.unschedulable != after.unschedulable || before.allocatable != after.allocatable ||
         !same_taints(before.taints(), after.taints()) ||
         !same_labels(before.labels(), after.labels());
}

}  // namespace troupe::kube_scheduler
