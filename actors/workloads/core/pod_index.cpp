#include "actors/workloads/core/pod_index.h"

#include "actors/api_client/object_key.h"
#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kOrphans = "orphans/";

}  // namespace

void OwnedPods::count(const k8s::Pod& pod, std::int32_t sign) {
  const std::string& phase = pod.status().phase();
  if (phase == "Succeeded") {
    counts_.succeeded += sign;
  } else if (phase == "Failed") {
    counts_.failed += sign;
  } else if (is_terminating(pod)) {
    counts_.terminating += sign;
  } else {
    counts_.active += sign;
    if (is_ready(pod)) counts_.ready += sign;
  }
}

void OwnedPods::set(const std::string& path, const PodPtr& pod) {
  PodPtr& mine = pods_[path];
  if (mine != nullptr) count(*mine, -1);
  mine = pod;
  count(*pod, 1);
}

void OwnedPods::erase(const std::string& path) {
  const auto at = pods_.find(path);
  if (at == pods_.end()) return;
  count(*at->second, -1);
  pods_.erase(at);
}

std::string PodIndex::bucket_of(const k8s::Pod& pod) {
  const std::string_view owner = controller_uid(pod.metadata());
  return owner.empty() ? std::string(kOrphans) + pod.metadata().namespace_() : std::string(owner);
}

void PodIndex::set(const PodPtr& pod) {
  const std::string path = path_of(pod->metadata());
  std::string bucket = bucket_of(*pod);
  const auto [at, added] = bucket_of_pod_.try_emplace(path, bucket);
  if (!added && at->second != bucket) {
    erase(*pod);
    bucket_of_pod_[path] = bucket;
  }
  buckets_[bucket].set(path, pod);
}

void PodIndex::erase(const k8s::Pod& pod) {
  const std::string path = path_of(pod.metadata());
  const auto at = bucket_of_pod_.find(path);
  if (at == bucket_of_pod_.end()) return;
  const auto pods = buckets_.find(at->second);
  pods->second.erase(path);
  if (pods->second.is_empty()) buckets_.erase(pods);
  bucket_of_pod_.erase(at);
}

const OwnedPods& PodIndex::bucket(const std::string& key) const {
  static const OwnedPods none;
  const auto at = buckets_.find(key);
  return at != buckets_.end() ? at->second : none;
}

const OwnedPods& PodIndex::owned_by(std::string_view owner_uid) const {
  return bucket(std::string(owner_uid));
}

const OwnedPods& PodIndex::orphans_of(std::string_view name_space) const {
  return bucket(std::string(kOrphans) + std::string(name_space));
}

}  // namespace troupe::workloads
