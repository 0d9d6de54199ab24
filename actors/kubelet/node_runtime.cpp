#include "actors/kubelet/node_runtime.h"

#include <algorithm>
#include <utility>

#include "actors/distribution.h"
#include "actors/kubelet/built_in_workloads.h"
#include "messages/facts.pb.h"
#include "messages/glob.h"
#include "messages/kubelet.pb.h"
#include "messages/workload.pb.h"

namespace troupe::kubelet {
namespace {

scheduling::Resources allocatable_of(const hosts::NodeConfig& config) {
  scheduling::Resources resources;
  resources.milli_cpu = config.cpu_milli() - config.cpu_reserved_milli();
  resources.memory_bytes = config.memory_bytes() - config.memory_reserved_bytes();
  resources.pods = config.pods();
  return resources;
}

template <class M>
M about(const std::string& uid) {
  M message;
  message.set_uid(uid);
  return message;
}

void emit_assigned(Context& context, const k8s::Pod& pod, const hosts::NodeConfig& config,
                   const DeviceGrant& grant) {
  auto fact = about<facts::DevicesAssigned>(pod.metadata().uid());
  fact.set_namespace_(pod.metadata().namespace_());
  fact.set_name(pod.metadata().name());
  fact.set_node(config.name());
  for (const std::uint32_t gpu : grant.gpus) fact.add_gpus(gpu);
  fact.set_milli_gpu_each(grant.milli_each);
  context.emit(Payload::of(std::move(fact)));
}

}  // namespace

NodeRuntime::NodeRuntime(std::shared_ptr<const hosts::NodeConfig> config,
                         std::vector<Payload> attachments, const WorkloadFactory* factory)
    : config_(std::move(config)),
      path_("node/" + config_->name()),
      devices_(config_->gpus()),
      images_(*config_),
      admission_(allocatable_of(*config_), devices_),
      workloads_(config_, std::move(attachments)),
      factory_(factory) {}

std::string NodeRuntime::gpu_path(std::uint32_t gpu) const {
  return path_ + "/gpu/" + std::to_string(gpu);
}

std::string NodeRuntime::pod_path(const std::string& uid) const {
  return path_ + "/pod/" + uid;
}

tl::expected<DeviceGrant, Rejection> NodeRuntime::admit(Context& context, const k8s::Pod& pod) {
  const std::string& uid = pod.metadata().uid();
  auto grant = admission_.admit(uid, demand_of(pod));
  if (!grant || grant->gpus.empty()) return grant;
  emit_assigned(context, pod, *config_, *grant);
  for (const std::uint32_t gpu : grant->gpus) {
    auto attach = about<workload::AttachGpu>(uid);
    attach.set_namespace_(pod.metadata().namespace_());
    attach.set_name(pod.metadata().name());
    attach.set_container(pod.spec().containers(workload_container(pod.spec())).name());
    attach.set_milli_gpu(grant->milli_each);
    context.send(address_of(gpu_path(gpu)), Payload::of(std::move(attach)), {});
  }
  return grant;
}

void NodeRuntime::release(Context& context, const k8s::Pod& pod) {
  const std::string& uid = pod.metadata().uid();
  if (const DeviceGrant* grant = devices_.of(uid); grant != nullptr && !grant->gpus.empty()) {
    for (const std::uint32_t gpu : grant->gpus) {
      context.send(address_of(gpu_path(gpu)), Payload::of(about<workload::DetachGpu>(uid)), {});
    }
    auto fact = about<facts::DevicesReleased>(uid);
    fact.set_node(config_->name());
    context.emit(Payload::of(std::move(fact)));
  }
  admission_.release(uid);
}

bool NodeRuntime::devices_healthy(const std::string& uid) const {
  const DeviceGrant* grant = devices_.of(uid);
  if (grant == nullptr) return true;
  return std::all_of(grant->gpus.begin(), grant->gpus.end(),
                     [this](std::uint32_t gpu) { return devices_.healthy(gpu); });
}

void NodeRuntime::clear_devices(Context& context, const std::string& uid) {
  const DeviceGrant* grant = devices_.of(uid);
  if (grant == nullptr) return;
  for (const std::uint32_t gpu : grant->gpus) {
    const Address to = address_of(gpu_path(gpu));
    context.send(to, Payload::of(about<workload::GpuIdle>(uid)), {});
    context.send(to, Payload::of(about<workload::GpuMemory>(uid)), {});
  }
}

void NodeRuntime::fail_pulls(const std::string& glob, bool fail) {
  if (fail) {
    failing_pulls_.insert(glob);
  } else {
    failing_pulls_.erase(glob);
  }
}

bool NodeRuntime::pull_fails(const std::string& image) const {
  return std::any_of(failing_pulls_.begin(), failing_pulls_.end(),
                     [&image](const std::string& glob) { return matches_glob(glob, image); });
}

std::uint32_t NodeRuntime::pace_of(const std::string& uid) const {
  const DeviceGrant* grant = devices_.of(uid);
  std::uint32_t slowest = kFullPace;
  if (grant == nullptr || paces_.empty()) return slowest;
  for (const std::uint32_t gpu : grant->gpus) {
    const auto pace = paces_.find(gpu);
    if (pace != paces_.end()) slowest = std::min(slowest, pace->second);
  }
  return slowest;
}

bool NodeRuntime::want_image(Context& context, const std::string& image) {
  if (images_.present(image)) return true;
  images_.pull(image, context.now());
  arm_images(context);
  return images_.present(image);
}

std::vector<std::string> NodeRuntime::take_pulled(Context& context) {
  std::vector<std::string> pulled = images_.take_pulled(context.now());
  arm_images(context);
  return pulled;
}

void NodeRuntime::arm_images(Context& context) {
  context.cancel_timer(images_timer_);
  images_timer_ = 0;
  const std::optional<SimTime> end = images_.next_end();
  if (!end) return;
  NodeTimer timer;
  timer.set_kind(NodeTimer::IMAGE_PULLED);
  images_timer_ = context.set_timer(*end - context.now(), Payload::of(std::move(timer)));
}

Duration NodeRuntime::container_start(Context& context) {
  return sample(config_->container_start(), start_times_.next(context));
}

bool NodeRuntime::serves(const k8s::Pod& pod) const {
  return workloads_.profile_of(pod).kind() == "serving";
}

std::unique_ptr<Actor> NodeRuntime::make_workload(const k8s::Pod& pod, std::uint32_t restarts,
                                                  bool loaded) const {
  const std::string& uid = pod.metadata().uid();
  const DeviceGrant* grant = devices_.of(uid);
  const DeviceGrant devices = grant != nullptr ? *grant : DeviceGrant{};
  const hosts::WorkloadProfile& profile = workloads_.profile_of(pod);
  if (profile.kind() == "serving") {
    WorkloadSpec spec = workloads_.serving_spec(pod, devices, restarts);
    spec.loaded = loaded;
    return factory_ == nullptr || !spec.serving ? nullptr : factory_->make(spec);
  }
  BuiltInSpec spec{uid, path_, {}, config_->gpu_memory_mib(), profile};
  for (const std::uint32_t gpu : devices.gpus) spec.gpu_paths.push_back(gpu_path(gpu));
  return profile.kind() == "job" ? make_job(std::move(spec)) : make_pause(std::move(spec));
}

UsageRate NodeRuntime::usage_of(const k8s::Pod& pod, const k8s::Container& container,
                                bool workload) const {
  const scheduling::Resources requests = scheduling::resources_of(container.resources().requests());
  UsageRate rate{requests.milli_cpu, requests.memory_bytes};
  if (!workload) return rate;
  const hosts::WorkloadProfile& profile = workloads_.profile_of(pod);
  if (profile.cpu_milli() > 0) rate.cpu_milli = profile.cpu_milli();
  if (profile.memory_bytes() > 0) rate.memory_bytes = profile.memory_bytes();
  return rate;
}

}  // namespace troupe::kubelet
