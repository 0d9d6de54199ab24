// Small clusters for the tests of Karpenter: pods, pools, instance types, nodes and claims in a
// line each.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/karpenter/cloud/instance_catalogue.h"
#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/scheduling/labels.h"
#include "actors/karpenter/scheduling/simulation.h"
#include "actors/workloads/objects/taints.h"
#include "messages/labels.h"

namespace troupe::karpenter::testing {

using namespace std::chrono_literals;

inline constexpr std::int64_t kGi = std::int64_t{1} << 30;

inline SimTime at(Duration since_start) {
  return kTimeZero + since_start;
}

struct PodSpecs {
  std::string cpu = "1";
  std::string memory = "1Gi";
  int gpus = 0;
};

inline void request(k8s::PodSpec& spec, const PodSpecs& what) {
  k8s::Container& container = *spec.add_containers();
  container.set_name("main");
  auto& requests = *container.mutable_resources()->mutable_requests();
  set_amount(requests, "cpu", *Quantity::parse(what.cpu));
  set_amount(requests, "memory", *Quantity::parse(what.memory));
  if (what.gpus > 0) set_amount(requests, "nvidia.com/gpu", Quantity::whole(what.gpus));
}

/// A pod that the scheduler has refused, owned by a ReplicaSet.
inline k8s::Pod pending_pod(const std::string& name, const PodSpecs& what = {}) {
  k8s::Pod pod;
  k8s::ObjectMeta& meta = *pod.mutable_metadata();
  meta.set_name(name);
  meta.set_namespace_("default");
  meta.set_uid("uid-" + name);
  set_label(*meta.mutable_labels(), "app", "web");
  k8s::OwnerReference& owner = *meta.add_owner_references();
  owner.set_kind("ReplicaSet");
  owner.set_controller(true);
  request(*pod.mutable_spec(), what);
  pod.mutable_status()->set_phase("Pending");
  set_condition(*pod.mutable_status()->mutable_conditions(),
                {"PodScheduled", "False", "Unschedulable", "0/1 nodes are available"}, kTimeZero);
  return pod;
}

inline k8s::Pod bound_pod(const std::string& name, const std::string& node,
                          const PodSpecs& what = {}) {
  k8s::Pod pod = pending_pod(name, what);
  pod.mutable_spec()->set_node_name(node);
  pod.mutable_status()->set_phase("Running");
  pod.mutable_status()->set_start_time(0);
  set_condition(*pod.mutable_status()->mutable_conditions(), {"PodScheduled", "True"}, kTimeZero);
  return pod;
}

template <class T>
std::shared_ptr<const T> share(T object) {
  return std::make_shared<const T>(std::move(object));
}

inline NodePool node_pool(const std::string& name, int weight = 0) {
  NodePool pool;
  pool.mutable_metadata()->set_name(name);
  pool.mutable_metadata()->set_uid("uid-" + name);
  if (weight > 0) pool.mutable_spec()->set_weight(weight);
  set_condition(*pool.mutable_status()->mutable_conditions(), {"Ready", "True"}, kTimeZero);
  return pool;
}

inline void require(NodePool& pool, std::string_view key, std::string_view op,
                    const std::vector<std::string>& values = {}) {
  Requirement& added =
      *pool.mutable_spec()->mutable_template_()->mutable_spec()->add_requirements();
  added.set_key(std::string(key));
  added.set_operator_(std::string(op));
  for (const std::string& value : values) added.add_values(value);
}

inline void limit(NodePool& pool, std::string_view resource, std::int64_t amount) {
  set_amount(*pool.mutable_spec()->mutable_limits(), resource, Quantity::whole(amount));
}

inline void taint_pool(NodePool& pool, std::string_view key, std::string_view effect) {
  *pool.mutable_spec()->mutable_template_()->mutable_spec()->add_taints() = make_taint(key, effect);
}

/// A type with offerings in zones a, b and c, on demand and spot; a dollar an hour for each core
/// and ten for each GPU.
inline void add_type(hosts::KarpenterConfig& config, const std::string& name, int cpu,
                     int memory_gib, int gpus = 0) {
  hosts::InstanceType& type = *config.add_instance_types();
  type.set_name(name);
  type.set_cpu_milli(cpu * 1000);
  type.set_memory_bytes(memory_gib * kGi);
  type.set_gpus(static_cast<std::uint32_t>(gpus));
  if (gpus > 0) type.set_gpu_model("h100");
  type.set_pods(110);
  for (const char* zone : {"zone-a", "zone-b", "zone-c"}) {
    for (const auto& [capacity_type, percent] :
         {std::pair("on-demand", 100), std::pair("spot", 60)}) {
      auto& offering = *type.add_offerings();
      offering.set_zone(zone);
      offering.set_capacity_type(capacity_type);
      offering.set_price_micro_usd_per_hour(std::int64_t{cpu + 10 * gpus} * 10'000 * percent);
      offering.set_capacity(-1);
    }
  }
}

inline hosts::KarpenterConfig general_purpose() {
  hosts::KarpenterConfig config;
  config.set_cpu_reserved_milli(100);
  config.set_memory_reserved_bytes(kGi / 2);
  add_type(config, "c2", 2, 8);
  add_type(config, "c4", 4, 16);
  add_type(config, "c8", 8, 32);
  return config;
}

/// The labels that a node of Karpenter's has.
inline void label_node(LabelMap& labels, const std::string& pool, const std::string& type,
                       const std::string& zone = "zone-a") {
  set_label(labels, kNodePoolLabel, pool);
  set_label(labels, kInstanceTypeLabel, type);
  set_label(labels, kZoneLabel, zone);
  set_label(labels, kCapacityTypeLabel, "on-demand");
}

inline NodeClaim launched_claim(const std::string& name, const std::string& pool,
                                const InstanceType& type) {
  NodeClaim claim;
  claim.mutable_metadata()->set_name(name);
  claim.mutable_metadata()->set_uid("uid-" + name);
  label_node(*claim.mutable_metadata()->mutable_labels(), pool, type.name);
  NodeClaimStatus& status = *claim.mutable_status();
  status.set_provider_id("id-" + name);
  *status.mutable_capacity() = type.capacity.to_list();
  *status.mutable_allocatable() = type.allocatable.to_list();
  set_true(claim, kLaunched, kTimeZero);
  return claim;
}

/// The claim's node, registered and initialized, ready, with all its resources.
inline k8s::Node node_of(const NodeClaim& claim) {
  k8s::Node node;
  node.mutable_metadata()->set_name(claim.metadata().name());
  node.mutable_metadata()->set_uid("node-" + claim.metadata().uid());
  LabelMap& labels = *node.mutable_metadata()->mutable_labels();
  labels = claim.metadata().labels();
  set_label(labels, kRegisteredLabel, "true");
  set_label(labels, kInitializedLabel, "true");
  set_label(labels, kHostnameLabel, claim.metadata().name());
  node.mutable_spec()->set_provider_id(claim.status().provider_id());
  *node.mutable_status()->mutable_capacity() = claim.status().capacity();
  *node.mutable_status()->mutable_allocatable() = claim.status().allocatable();
  set_condition(*node.mutable_status()->mutable_conditions(), {"Ready", "True"}, kTimeZero);
  return node;
}

inline StateNode state_node(const NodeClaim& claim) {
  StateNode state;
  state.claim = share(claim);
  state.node = share(node_of(claim));
  return state;
}

inline std::vector<SimulatedPod> simulated(const std::vector<k8s::Pod>& pods) {
  std::vector<SimulatedPod> result;
  for (const k8s::Pod& pod : pods) result.emplace_back(share(pod), std::vector<Requirements>{});
  return result;
}

/// The names of a claim's instance types, cheapest first.
inline std::vector<std::string> type_names(const PlannedClaim& claim) {
  std::vector<std::string> names;
  for (const InstanceType* type : claim.types()) names.push_back(type->name);
  return names;
}

}  // namespace troupe::karpenter::testing
