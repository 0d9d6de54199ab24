#include "actors/kubelet/workload_catalog.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "actors/scheduling/resources.h"
#include "messages/labels.h"

namespace troupe::kubelet {
namespace {

// What LeaderWorkerSet's controller writes on the pods of a group.
constexpr std::string_view kGroupIndexLabel = "leaderworkerset.sigs.k8s.io/worker-index";
constexpr std::string_view kGroupSizeAnnotation = "leaderworkerset.sigs.k8s.io/size";
constexpr std::string_view kGroupLeaderAnnotation = "leaderworkerset.sigs.k8s.io/leader-name";
// GPU feature discovery: nodes with the same clique share an NVLink domain.
constexpr std::string_view kLinkDomainLabel = "nvidia.com/gpu.clique";

std::uint32_t number_of(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool matches(const hosts::WorkloadProfile& profile, const k8s::Pod& pod) {
  return std::all_of(profile.match().begin(), profile.match().end(), [&pod](const auto& wanted) {
    const std::string* value = find_label(pod.metadata().labels(), wanted.key());
    return value != nullptr && *value == wanted.value();
  });
}

hosts::WorkloadProfile pause_profile() {
  hosts::WorkloadProfile profile;
  profile.set_kind("pause");
  return profile;
}

void describe_group(const k8s::Pod& pod, serving::ReplicaPlacement& placement) {
  const k8s::ObjectMeta& meta = pod.metadata();
  const std::uint32_t size = number_of(label_or(meta.annotations(), kGroupSizeAnnotation));
  if (size <= 1) return;
  placement.set_group_size(size);
  placement.set_group_index(number_of(label_or(meta.labels(), kGroupIndexLabel)));
  placement.set_leader_namespace(meta.namespace_());
  placement.set_leader_pod(
      std::string(label_or(meta.annotations(), kGroupLeaderAnnotation, meta.name())));
}

}  // namespace

int workload_container(const k8s::PodSpec& spec) {
  for (int i = 0; i < spec.containers_size(); ++i) {
    const auto& resources = spec.containers(i).resources();
    for (const auto* list : {&resources.limits(), &resources.requests()}) {
      for (const auto& amount : *list) {
        if (amount.name() == scheduling::kGpuResource && amount.quantity() != "0") return i;
      }
    }
  }
  return 0;
}

WorkloadCatalog::WorkloadCatalog(std::shared_ptr<const hosts::NodeConfig> config,
                                 std::vector<Payload> attachments)
    : config_(std::move(config)), attachments_(std::move(attachments)) {}

const hosts::WorkloadProfile& WorkloadCatalog::profile_of(const k8s::Pod& pod) const {
  static const hosts::WorkloadProfile pause = pause_profile();
  for (const hosts::WorkloadProfile& profile : config_->workloads()) {
    if (matches(profile, pod)) return profile;
  }
  return pause;
}

WorkloadSpec WorkloadCatalog::serving_spec(const k8s::Pod& pod, const DeviceGrant& devices,
                                           std::uint32_t restarts) const {
  WorkloadSpec spec;
  const std::string& wanted = profile_of(pod).serving_profile();
  for (const Payload& attachment : attachments_) {
    const auto* serving = attachment.as<serving::ServingWorkload>();
    if (serving != nullptr && serving->name() == wanted) spec.serving = attachment;
  }
  serving::ReplicaPlacement& placement = spec.placement;
  placement.set_pod_uid(pod.metadata().uid());
  placement.set_namespace_(pod.metadata().namespace_());
  placement.set_pod(pod.metadata().name());
  placement.set_node(config_->name());
  placement.set_gpu_model(config_->gpu_model());
  for (const auto& label : config_->labels()) {
    if (label.key() == kLinkDomainLabel) placement.set_link_domain(label.value());
  }
  for (const std::uint32_t gpu : devices.gpus) {
    placement.add_gpu_paths("node/" + config_->name() + "/gpu/" + std::to_string(gpu));
  }
  placement.set_disk_bytes_per_second(config_->disk_bandwidth_bytes_per_s());
  placement.set_container_restarts(restarts);
  placement.set_api_server("apiserver/0");
  describe_group(pod, placement);
  return spec;
}

}  // namespace troupe::kubelet
