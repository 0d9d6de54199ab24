#include "actors/kubelet/node_status.h"

#include <string_view>

#include "actors/kubelet/api_time.h"
#include "actors/scheduling/resources.h"
#include "messages/conditions.h"
#include "messages/labels.h"

namespace troupe::kubelet {
namespace {

/// kubelet: nodeStatusMaxImages.
constexpr int kMaxImages = 50;

void add_default_label(LabelMap& labels, std::string_view key, std::string_view value) {
  if (!value.empty() && find_label(labels, key) == nullptr) set_label(labels, key, value);
}

void add_labels(const hosts::NodeConfig& config, LabelMap& labels) {
  for (const auto& label : config.labels()) set_label(labels, label.key(), label.value());
  add_default_label(labels, "kubernetes.io/hostname", config.name());
  add_default_label(labels, "kubernetes.io/os", "linux");
  add_default_label(labels, "kubernetes.io/arch", "amd64");
  add_default_label(labels, "node.kubernetes.io/instance-type", config.instance_type());
  add_default_label(labels, "topology.kubernetes.io/zone", config.zone());
  if (config.gpus() == 0) return;
  // What GPU feature discovery finds out.
  add_default_label(labels, "nvidia.com/gpu.present", "true");
  add_default_label(labels, "nvidia.com/gpu.count", std::to_string(config.gpus()));
  add_default_label(labels, "nvidia.com/gpu.product", config.gpu_model());
  add_default_label(labels, "nvidia.com/gpu.memory", std::to_string(config.gpu_memory_mib()));
}

struct Amounts {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t pods = 0;
  std::int64_t gpus = 0;
};

void write_amounts(const Amounts& amounts, bool has_gpus, ResourceMap& list) {
  set_amount(list, "cpu", Quantity::milli(amounts.cpu_milli));
  set_amount(list, "memory", Quantity::whole(amounts.memory_bytes, Quantity::Form::BinarySi));
  set_amount(list, "pods", Quantity::whole(amounts.pods));
  if (has_gpus) set_amount(list, scheduling::kGpuResource, Quantity::whole(amounts.gpus));
}

void write_conditions(const NodeFacts& facts, ConditionList& conditions) {
  const SimTime now = whole_second(facts.now);
  for (const ConditionState& state :
       {ConditionState{"MemoryPressure", "False", "KubeletHasSufficientMemory",
                       "kubelet has sufficient memory available"},
        ConditionState{"DiskPressure", "False", "KubeletHasNoDiskPressure",
                       "kubelet has no disk pressure"},
        ConditionState{"PIDPressure", "False", "KubeletHasSufficientPID",
                       "kubelet has sufficient PID available"},
        facts.network_ready
            ? ConditionState{"Ready", "True", "KubeletReady", "kubelet is posting ready status"}
            : ConditionState{"Ready", "False", "KubeletNotReady",
                             "container runtime network not ready: cni plugin not initialized"}}) {
    set_condition(conditions, state, now);
  }
  for (k8s::Condition& condition : conditions) {
    const std::string& type = condition.type();
    if (type == "Ready" || type.ends_with("Pressure")) {
      condition.set_last_heartbeat_time(to_ns(now));
    }
  }
}

}  // namespace

std::string provider_id_of(const hosts::NodeConfig& config) {
  return config.instance().empty() ? "troupe://" + config.name() : config.instance();
}

k8s::NodeStatus status_of(const NodeFacts& facts, const k8s::NodeStatus& before) {
  const hosts::NodeConfig& config = facts.config;
  const bool has_gpus = config.gpus() > 0;
  k8s::NodeStatus status;
  write_amounts({config.cpu_milli(), config.memory_bytes(), config.pods(), facts.gpu_capacity},
                has_gpus, *status.mutable_capacity());
  write_amounts({config.cpu_milli() - config.cpu_reserved_milli(),
                 config.memory_bytes() - config.memory_reserved_bytes(), config.pods(),
                 facts.gpu_allocatable},
                has_gpus, *status.mutable_allocatable());
  *status.mutable_conditions() = before.conditions();
  write_conditions(facts, *status.mutable_conditions());
  auto* address = status.add_addresses();
  address->set_type("InternalIP");
  address->set_address("node/" + config.name());
  status.mutable_node_info()->set_operating_system("linux");
  status.mutable_node_info()->set_architecture("amd64");
  for (const std::string& image : facts.images.images()) {
    if (status.images_size() == kMaxImages) break;
    auto* entry = status.add_images();
    entry->add_names(image);
    entry->set_size_bytes(facts.images.bytes_of(image));
  }
  return status;
}

k8s::Node node_of(const NodeFacts& facts) {
  const hosts::NodeConfig& config = facts.config;
  k8s::Node node;
  node.set_api_version("v1");
  node.set_kind("Node");
  node.mutable_metadata()->set_name(config.name());
  add_labels(config, *node.mutable_metadata()->mutable_labels());
  node.mutable_spec()->set_provider_id(provider_id_of(config));
  for (const auto& taint : config.taints()) {
    k8s::Taint& added = *node.mutable_spec()->add_taints();
    added.set_key(taint.key());
    if (!taint.value().empty()) added.set_value(taint.value());
    added.set_effect(taint.effect());
  }
  *node.mutable_status() = status_of(facts, {});
  return node;
}

}  // namespace troupe::kubelet
