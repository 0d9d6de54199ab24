#include "actors/karpenter/scheduling/pool_template.h"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/scheduling/simulated_pod.h"
#include "actors/workloads/objects/taints.h"
#include "messages/conditions.h"
#include "messages/hash.h"

namespace troupe::karpenter {
namespace {

/// The daemon's requirements for each of its alternatives: the first that the pool and the type
/// agree to decides.
bool runs_on(const k8s::Pod& daemon, const PoolTemplate& pool_template, const InstanceType& type) {
  SimulatedPod pod(std::make_shared<const k8s::Pod>(daemon), {}, PreferencePolicy::Ignore);
  const auto alternatives = [&daemon] {
    return daemon.spec()
        .affinity()
        .node_affinity()
        .required_during_scheduling_ignored_during_execution()
        .node_selector_terms_size();
  };
  for (int i = 0; i < std::max(1, alternatives()); ++i) {
    const Requirements& wanted = pod.strict_requirements();
    if (pool_template.requirements.is_compatible(wanted, Undefined::WellKnownAllowed) &&
        type.requirements.intersects(wanted)) {
      return true;
    }
    // Of a daemon's constraints only the alternatives of its node affinity can be given up.
    if (!pod.relax(false)) return false;
  }
  return false;
}

bool tolerates_pool(const k8s::Pod& daemon, const PoolTemplate& pool_template) {
  return std::ranges::all_of(pool_template.taints(), [&](const k8s::Taint& taint) {
    return taint.effect() == kPreferNoSchedule || tolerates(daemon.spec().tolerations(), taint);
  });
}

}  // namespace

PoolTemplate::PoolTemplate(std::shared_ptr<const NodePool> node_pool, InstanceTypes instance_types)
    : pool(std::move(node_pool)), types(std::move(instance_types)) {
  const NodeClaimTemplate& node = pool->spec().template_();
  requirements = Requirements::of(node.spec().requirements());
  requirements.add(Requirements::of_labels(node.metadata().labels()));
  requirements.add(ValueSet(kNodePoolLabel, Operator::In, {name()}));
  // A DaemonSet may wait for these labels, which every node gets in the end.
  requirements.add(ValueSet(kRegisteredLabel, Operator::In, {"true"}));
  requirements.add(ValueSet(kInitializedLabel, Operator::In, {"true"}));
}

bool is_schedulable(const NodePool& pool) {
  return !pool.metadata().has_deletion_timestamp() && !pool.spec().has_replicas() &&
         is_true(pool.status().conditions(), "Ready");
}

bool tried_before(const NodePool& a, const NodePool& b) {
  if (a.spec().weight() != b.spec().weight()) return a.spec().weight() > b.spec().weight();
  return a.metadata().name() > b.metadata().name();
}

std::vector<DaemonGroup> daemon_groups(
    const PoolTemplate& pool_template,
    const std::vector<std::shared_ptr<const k8s::Pod>>& daemons) {
  std::vector<const k8s::Pod*> tolerant;
  for (const auto& daemon : daemons) {
    if (tolerates_pool(*daemon, pool_template)) tolerant.push_back(daemon.get());
  }
  // The key is which of the daemons run there, so the groups come in a fixed order.
  std::map<std::vector<std::size_t>, DaemonGroup> groups;
  for (const InstanceType* type : pool_template.types) {
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < tolerant.size(); ++i) {
      if (runs_on(*tolerant[i], pool_template, *type)) running.push_back(i);
    }
    const auto [at, added] = groups.try_emplace(running);
    at->second.types.push_back(type);
    if (!added || running.empty()) continue;
    std::vector<const k8s::Pod*> pods;
    for (const std::size_t i : running) pods.push_back(tolerant[i]);
    at->second.overhead = Resources::requested_by(pods);
    for (const k8s::Pod* pod : pods) at->second.ports.add(host_ports_of(pod->spec()));
  }
  std::vector<DaemonGroup> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

std::string hash_of(const NodePool& pool) {
  NodeClaimTemplate relevant = pool.spec().template_();
  relevant.mutable_spec()->clear_requirements();
  return std::to_string(hash_bytes(relevant.SerializeAsString()));
}

}  // namespace troupe::karpenter
