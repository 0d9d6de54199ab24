#include "emulator/config/replica_shape.h"

#include <algorithm>

#include "messages/k8s/apps.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/labels.h"
#include "messages/lws.pb.h"

namespace troupe::config {
namespace {

bool matches(const Workload& workload, const LabelMap& labels) {
  return std::all_of(workload.match().begin(), workload.match().end(),
                     [&labels](const KeyValue& wanted) {
                       const std::string* value = find_label(labels, wanted.key());
                       return value != nullptr && *value == wanted.value();
                     });
}

std::uint32_t gpus_of(const k8s::PodSpec& spec) {
  std::int64_t gpus = 0;
  for (const k8s::Container& container : spec.containers()) {
    gpus += std::max(amount_of(container.resources().limits(), "nvidia.com/gpu").to_whole(),
                     amount_of(container.resources().requests(), "nvidia.com/gpu").to_whole());
  }
  return static_cast<std::uint32_t>(gpus);
}

std::optional<std::uint32_t> gpus_of(const Workload& workload, const k8s::PodTemplateSpec& pod) {
  if (!matches(workload, pod.metadata().labels())) return std::nullopt;
  return gpus_of(pod.spec());
}

std::optional<std::uint32_t> gpus_of(const Workload& workload, const lws::LeaderWorkerSet& set) {
  const lws::LeaderWorkerTemplate& group = set.spec().leader_worker_template();
  const k8s::PodTemplateSpec& worker = group.worker_template();
  const k8s::PodTemplateSpec& leader =
      group.has_leader_template() ? group.leader_template() : worker;
  if (!matches(workload, leader.metadata().labels())) return std::nullopt;
  const auto size = static_cast<std::uint32_t>(std::max(1, group.size()));
  return gpus_of(leader.spec()) + (size - 1) * gpus_of(worker.spec());
}

// The GPUs of a replica that a T with a plain pod template makes.
template <class T>
std::optional<std::uint32_t> gpus_by_template(const Workload& workload, const Payload& object) {
  const T* owner = object.as<T>();
  return owner == nullptr ? std::nullopt : gpus_of(workload, owner->spec().template_());
}

std::optional<std::uint32_t> gpus_of(const Workload& workload, const Payload& object) {
  if (const auto* set = object.as<lws::LeaderWorkerSet>()) return gpus_of(workload, *set);
  if (const auto* pod = object.as<k8s::Pod>()) {
    if (!matches(workload, pod->metadata().labels())) return std::nullopt;
    return gpus_of(pod->spec());
  }
  auto gpus = gpus_by_template<k8s::Deployment>(workload, object);
  if (!gpus) gpus = gpus_by_template<k8s::ReplicaSet>(workload, object);
  if (!gpus) gpus = gpus_by_template<k8s::StatefulSet>(workload, object);
  return gpus;
}

}  // namespace

std::optional<std::uint32_t> replica_gpus(const Inputs& inputs, const Workload& workload) {
  for (const ManifestObject& manifest : inputs.manifests) {
    if (const auto gpus = gpus_of(workload, manifest.object)) return gpus;
  }
  return std::nullopt;
}

}  // namespace troupe::config
