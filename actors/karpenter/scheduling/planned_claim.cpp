#include "actors/karpenter/scheduling/planned_claim.h"

#include <algorithm>
#include <set>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/workloads/objects/metadata.h"
#include "messages/kinds.h"

namespace troupe::karpenter {
namespace {

/// Keys that only serve to simulate DaemonSets; a claim that carried them could never be
/// registered.
bool is_simulation_only(std::string_view key) {
  return key == kRegisteredLabel || key == kInitializedLabel;
}

void set_owner(k8s::ObjectMeta& meta, const NodePool& pool) {
  k8s::OwnerReference& owner = *meta.add_owner_references();
  owner.set_api_version(std::string(kind_of<NodePool>().versions.front()));
  owner.set_kind(std::string(kind_of<NodePool>().name));
  owner.set_name(pool.metadata().name());
  owner.set_uid(pool.metadata().uid());
  owner.set_block_owner_deletion(true);
}

}  // namespace

PlannedClaim::PlannedClaim(const PoolTemplate& pool_template, InstanceTypes types, std::string host)
    : template_(&pool_template),
      host_(std::move(host)),
      types_(std::move(types)),
      requirements_(pool_template.requirements),
      daemons_(pool_template.daemons) {
  requirements_.add(ValueSet(kHostnameLabel, Operator::In, {host_}));
}

bool PlannedClaim::may_hold(const SimulatedPod& pod) const {
  Resources total = requests_;
  total.add(pod.requests());
  return std::ranges::any_of(
      types_, [&total](const InstanceType* type) { return type->allocatable.fits(total); });
}

Result<PlannedClaim::Addition> PlannedClaim::can_add(const SimulatedPod& pod,
                                                     const Topology& topology,
                                                     MinValuesPolicy min_values) const {
  for (const k8s::Taint& taint : template_->taints()) {
    if (!tolerates(pod.tolerations(), taint)) {
      return fail("did not tolerate taint (taint=" + to_string(taint) + ")");
    }
  }
  if (auto compatible = requirements_.compatible(pod.requirements(), Undefined::WellKnownAllowed);
      !compatible) {
    return fail("incompatible requirements, " + compatible.error().message);
  }
  Requirements with_pod = requirements_;
  with_pod.add(pod.requirements());
  if (pod.volumes().empty())
    return with_volume(pod, std::move(with_pod), nullptr, topology, min_values);
  Result<Addition> result = fail("no volume topology");
  for (const Requirements& volume : pod.volumes()) {
    result = with_volume(pod, with_pod, &volume, topology, min_values);
    if (result) break;
  }
  return result;
}

Result<PlannedClaim::Addition> PlannedClaim::with_volume(const SimulatedPod& pod, Requirements node,
                                                         const Requirements* volume,
                                                         const Topology& topology,
                                                         MinValuesPolicy min_values) const {
  if (volume != nullptr) {
    if (auto compatible = node.compatible(*volume, Undefined::WellKnownAllowed); !compatible) {
      return fail("incompatible volume requirements, " + compatible.error().message);
    }
    node.add(*volume);
  }
  // Topology comes last: it may pick one of several domains, which must not shut out what comes
  // after.
  Result<Requirements> narrowed = topology.add_requirements(pod, template_->taints(), node);
  if (!narrowed) return tl::unexpected(narrowed.error());
  if (auto compatible = node.compatible(*narrowed, Undefined::WellKnownAllowed); !compatible) {
    return tl::unexpected(compatible.error());
  }
  node.add(*narrowed);

  Resources total = requests_;
  total.add(pod.requests());
  Result<Filtered> filtered = filter_instance_types({.types = types_,
                                                     .requirements = node,
                                                     .groups = daemons_,
                                                     .pod_requests = pod.requests(),
                                                     .total_requests = total,
                                                     .ports = pod.ports(),
                                                     .min_values = min_values});
  if (!filtered) return tl::unexpected(filtered.error());
  for (const ScarceKey& scarce : filtered->relaxed) {
    ValueSet relaxed = node.get(scarce.key);
    relaxed.set_min_values(scarce.available);
    node.put(relaxed);
  }
  return Addition{std::move(node), std::move(filtered->types), !filtered->relaxed.empty()};
}

void PlannedClaim::add(const SimulatedPod& pod, Addition addition, Topology& topology) {
  pods_.push_back(pod.shared());
  types_ = std::move(addition.types);
  requirements_ = std::move(addition.requirements);
  min_values_relaxed_ |= addition.min_values_relaxed;
  requests_.add(pod.requests());
  for (DaemonGroup& group : daemons_) group.ports.add(pod.ports());
  topology.add_host(host_);
  topology.record(pod, template_->taints(), requirements_);
}

void PlannedClaim::finish() {
  requirements_.erase(kHostnameLabel);
  const std::set<const InstanceType*> remaining(types_.begin(), types_.end());
  Resources least;
  bool first = true;
  for (const DaemonGroup& group : daemons_) {
    const bool possible = std::ranges::any_of(
        group.types, [&remaining](const InstanceType* type) { return remaining.contains(type); });
    if (!possible) continue;
    if (first) {
      least = group.overhead;
    } else {
      least.lower_to(group.overhead);
    }
    first = false;
  }
  requests_.add(least);
}

bool PlannedClaim::truncate(std::size_t count, MinValuesPolicy min_values) {
  types_ = ordered_by_price(std::move(types_), requirements_);
  if (types_.size() <= count) return true;
  types_.resize(count);
  return min_values == MinValuesPolicy::BestEffort || scarce_keys(types_, requirements_).empty();
}

NodeClaim PlannedClaim::to_claim() const {
  const NodePool& pool = *template_->pool;
  const NodeClaimTemplateSpec& spec = pool.spec().template_().spec();
  NodeClaim claim;
  k8s::ObjectMeta& meta = *claim.mutable_metadata();
  meta.set_generate_name(template_->name() + "-");
  *meta.mutable_labels() = pool.spec().template_().metadata().labels();
  *meta.mutable_annotations() = pool.spec().template_().metadata().annotations();
  set_label(*meta.mutable_labels(), kNodePoolLabel, template_->name());
  set_label(*meta.mutable_annotations(), kNodePoolHashAnnotation, hash_of(pool));
  set_label(*meta.mutable_annotations(), kNodePoolHashVersionAnnotation, kNodePoolHashVersion);
  set_label(*meta.mutable_annotations(), kMinValuesRelaxedAnnotation,
            min_values_relaxed_ ? "true" : "false");
  set_owner(meta, pool);

  Requirements wanted = requirements_;
  ValueSet types(kInstanceTypeLabel, Operator::In);
  std::set<std::string> capacity_types;
  for (const InstanceType* type : types_) {
    types.insert(type->name);
    for (const Offering& offering : type->offerings) {
      if (offering.available &&
          requirements_.is_compatible(offering.requirements, Undefined::WellKnownAllowed)) {
        capacity_types.insert(offering.capacity_type);
      }
    }
  }
  types.set_min_values(wanted.get(kInstanceTypeLabel).min_values());
  wanted.add(types);
  wanted.add(
      ValueSet(kCapacityTypeLabel, Operator::In, {capacity_types.begin(), capacity_types.end()}));

  NodeClaimSpec& out = *claim.mutable_spec();
  for (const ValueSet& set : wanted.all()) {
    if (is_simulation_only(set.key())) continue;
    for (Requirement& entry : set.to_spec()) *out.add_requirements() = std::move(entry);
    // A label of the user's own gets a value now, since no instance type will define it.
    if (!is_well_known(set.key())) set_label(*meta.mutable_labels(), set.key(), set.any());
  }
  *out.mutable_taints() = spec.taints();
  *out.mutable_startup_taints() = spec.startup_taints();
  if (spec.has_node_class_ref()) *out.mutable_node_class_ref() = spec.node_class_ref();
  if (spec.has_expire_after()) out.set_expire_after(spec.expire_after());
  if (spec.has_termination_grace_period()) {
    out.set_termination_grace_period(spec.termination_grace_period());
  }
  *out.mutable_resources()->mutable_requests() = requests_.to_list();
  return claim;
}

}  // namespace troupe::karpenter
