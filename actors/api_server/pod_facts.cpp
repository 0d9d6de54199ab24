#include "actors/api_server/pod_facts.h"

#include "messages/conditions.h"
#include "messages/facts.pb.h"
#include "messages/labels.h"

namespace troupe::apiserver {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
// KAI Scheduler's annotations of a pod that shares a GPU.
constexpr std::string_view kGpuFraction = "gpu-fraction";
constexpr std::string_view kGpuFractionDevices = "gpu-fraction-num-devices";

template <class Fact>
Fact about(const k8s::ObjectMeta& meta) {
  Fact fact;
  fact.set_uid(meta.uid());
  fact.set_namespace_(meta.namespace_());
  fact.set_name(meta.name());
  return fact;
}

std::string owner_of(const k8s::ObjectMeta& meta) {
  for (const k8s::OwnerReference& owner : meta.owner_references()) {
    if (owner.controller()) return owner.kind() + "/" + owner.name();
  }
  return {};
}

Payload created(const k8s::Pod& pod) {
  auto fact = about<facts::PodCreated>(pod.metadata());
  fact.set_owner(owner_of(pod.metadata()));
  fact.set_milli_gpu(milli_gpu_of(pod));
  fact.set_scheduler(pod.spec().scheduler_name());
  return Payload::of(std::move(fact));
}

Payload bound(const k8s::Pod& pod) {
  auto fact = about<facts::PodBound>(pod.metadata());
  fact.set_node(pod.spec().node_name());
  return Payload::of(std::move(fact));
}

Payload deletion_requested(const k8s::Pod& pod) {
  auto fact = about<facts::PodDeletionRequested>(pod.metadata());
  const auto* disrupted = find_condition(pod.status().conditions(), "DisruptionTarget");
  if (disrupted != nullptr) fact.set_reason(disrupted->reason());
  return Payload::of(std::move(fact));
}

/// A quantity of GPUs as whole devices or a fraction: "1", "0.5".
std::int64_t milli_of(std::string_view text) {
  const auto amount = Quantity::parse(text);
  return amount ? amount->to_milli() : 0;
}

}  // namespace

std::int64_t milli_gpu_of(const k8s::Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  if (const std::string* fraction = find_label(annotations, kGpuFraction)) {
    const std::string_view devices = label_or(annotations, kGpuFractionDevices, "1");
    return milli_of(*fraction) * (milli_of(devices) / 1000);
  }
  std::int64_t total = 0;
  for (const k8s::Container& container : pod.spec().containers()) {
    const auto& resources = container.resources();
    const auto& amounts = resources.requests().empty() ? resources.limits() : resources.requests();
    total += amount_of(amounts, kGpu).to_milli();
  }
  return total;
}

std::vector<Payload> pod_facts(const Store::Commit& commit) {
  const auto* pod = commit.object.as<k8s::Pod>();
  if (pod == nullptr) return {};
  std::vector<Payload> facts;
  const auto* before = commit.previous ? commit.previous.as<k8s::Pod>() : nullptr;
  if (before == nullptr) facts.push_back(created(*pod));
  if (commit.type == api::WatchEvent::DELETED) {
    facts.push_back(Payload::of(about<facts::PodDeleted>(pod->metadata())));
    return facts;
  }
  const bool was_bound = before != nullptr && !before->spec().node_name().empty();
  if (!was_bound && !pod->spec().node_name().empty()) facts.push_back(bound(*pod));
  const bool was_leaving = before != nullptr && before->metadata().has_deletion_timestamp();
  if (!was_leaving && pod->metadata().has_deletion_timestamp()) {
    facts.push_back(deletion_requested(*pod));
  }
  return facts;
}

}  // namespace troupe::apiserver
