#include "actors/kubelet/pod_objects.h"

#include <algorithm>
#include <utility>

#include "messages/conditions.h"

namespace troupe::kubelet {
PodObjects::Entry& PodObjects::entry_of(const k8s::Pod& pod) {
  Entry& entry = entries_[pod.metadata().uid()];
  entry.name_space = pod.metadata().namespace_();
  entry.name = pod.metadata().name();
  return entry;
}

void PodObjects::set_status(Context& context, const k8s::Pod& pod, k8s::PodStatus status) {
  Entry& entry = entry_of(pod);
  // Both come from the same code, so equal statuses have equal bytes.
  if (entry.status.SerializeAsString() == status.SerializeAsString()) return;
  entry.status = std::move(status);
  entry.dirty = true;
  advance(context, pod.metadata().uid());
}

void PodObjects::remove(Context& context, const k8s::Pod& pod) {
  entry_of(pod).remove = true;
  advance(context, pod.metadata().uid());
}

bool PodObjects::contradicts(const k8s::Pod& pod) const {
  const auto found = entries_.find(pod.metadata().uid());
  if (found == entries_.end()) return false;
  const Entry& entry = found->second;
  if (entry.dirty || entry.writing || !entry.status.has_phase()) return false;
  if (revision_of(pod.metadata().resource_version()) <= entry.revision) return false;
  return pod.status().phase() != entry.status.phase() ||
         is_true(pod.status().conditions(), "Ready") != is_true(entry.status.conditions(), "Ready");
}

void PodObjects::set_again(Context& context, const k8s::Pod& pod, k8s::PodStatus status) {
  entry_of(pod).status.Clear();
  set_status(context, pod, std::move(status));
}

void PodObjects::advance(Context& context, const std::string& uid) {
  Entry& entry = entries_.at(uid);
  if (entry.writing) return;
  if (entry.dirty) {
    write(context, uid, entry);
  } else if (entry.remove) {
    erase(context, uid, entry);
  }
}

void PodObjects::write(Context& context, const std::string& uid, Entry& entry) {
  entry.dirty = false;
  entry.writing = true;
  k8s::Pod partial;
  partial.mutable_metadata()->set_namespace_(entry.name_space);
  partial.mutable_metadata()->set_name(entry.name);
  partial.mutable_metadata()->set_uid(uid);
  *partial.mutable_status() = entry.status;
  api_.patch(
      context, std::move(partial), {.subresource = "status"},
      [this, uid](Context& later, const ApiResult& result) { on_written(later, uid, result); });
}

void PodObjects::erase(Context& context, const std::string& uid, Entry& entry) {
  entry.writing = true;
  api_.remove(
      context, object_key("Pod", entry.name_space, entry.name),
      {.uid = uid, .grace_period_seconds = 0},
      [this, uid](Context& later, const ApiResult& result) { on_removed(later, uid, result); });
}

void PodObjects::on_written(Context& context, const std::string& uid, const ApiResult& result) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.writing = false;
  if (result.ok()) {
    entry.revision = std::max(entry.revision, revision_of(result.resource_version));
    advance(context, uid);
  } else if (result.not_found()) {
    entries_.erase(found);
  } else {
    // Also a conflict: if another pod has the name, the watch will say so, and forget() ends this.
    entry.dirty = true;
    retry(context, uid);
  }
}

void PodObjects::on_removed(Context& context, const std::string& uid, const ApiResult& result) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  found->second.writing = false;
  if (result.ok() || result.not_found()) {
    entries_.erase(found);
  } else {
    retry(context, uid);
  }
}

void PodObjects::retry(Context& context, const std::string& uid) {
  api_.timers().after(context, kRetry, "pod status sync", [this, uid](Context& later) {
    if (entries_.contains(uid)) advance(later, uid);
  });
}

}  // namespace troupe::kubelet
