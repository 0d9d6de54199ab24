#include "actors/workloads/leader_worker_set/groups.h"

#include <algorithm>
#include <charconv>

#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"
#include "messages/hash.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

std::int32_t number_of(const k8s::Pod& pod, std::string_view label) {
  const std::string* text = find_label(pod.metadata().labels(), label);
  std::int32_t number = -1;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

bool runs_ready(const k8s::Pod& pod) {
  return pod.status().phase() == "Running" && is_ready(pod) && !is_terminating(pod);
}

/// Any container has restarted.
bool was_restarted(const k8s::Pod& pod) {
  if (is_terminal(pod)) return false;
  const auto restarted = [](const k8s::ContainerStatus& status) {
    return status.restart_count() > 0;
  };
  return std::ranges::any_of(pod.status().container_statuses(), restarted) ||
         std::ranges::any_of(pod.status().init_container_statuses(), restarted);
}

std::string hex(std::uint64_t value) {
  constexpr int kBase = 16;
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value, kBase).ptr;
  return {std::begin(digits), end};
}

void set_variable(k8s::Pod& pod, const std::string& name, const std::string& value) {
  for (k8s::Container& container : *pod.mutable_spec()->mutable_containers()) {
    const bool there = std::ranges::any_of(
        container.env(), [&name](const k8s::EnvVar& variable) { return variable.name() == name; });
    if (there) continue;
    k8s::EnvVar& variable = *container.add_env();
    variable.set_name(name);
    variable.set_value(value);
  }
}

struct Place {
  std::int32_t group;
  std::int32_t worker;
  std::string leader;
};

void label_pod(k8s::Pod& pod, const lws::LeaderWorkerSet& set, const Place& place) {
  k8s::ObjectMeta& meta = *pod.mutable_metadata();
  LabelMap& labels = *meta.mutable_labels();
  const std::string& name = set.metadata().name();
  const std::string size = std::to_string(size_of(set));
  const std::string worker = std::to_string(place.worker);
  set_label(labels, kSetNameLabel, name);
  set_label(labels, kGroupIndexLabel, std::to_string(place.group));
  set_label(labels, kWorkerIndexLabel, worker);
  set_label(labels, kGroupKeyLabel,
            hex(mix(hash_bytes(set.metadata().namespace_()), hash_bytes(place.leader))));
  set_label(labels, kTemplateRevisionLabel, revision_key(set));
  set_label(*meta.mutable_annotations(), kSizeAnnotation, size);
  const std::string* topology =
      find_label(set.metadata().annotations(), kExclusiveTopologyAnnotation);
  if (topology != nullptr) {
    set_label(*meta.mutable_annotations(), kExclusiveTopologyAnnotation, *topology);
  }
  pod.mutable_spec()->set_hostname(meta.name());
  pod.mutable_spec()->set_subdomain(name);
  set_variable(pod, "LWS_LEADER_ADDRESS",
               place.leader + "." + name + "." + set.metadata().namespace_());
  set_variable(pod, "LWS_GROUP_SIZE", size);
  set_variable(pod, "LWS_WORKER_INDEX", worker);
}

}  // namespace

std::int32_t replicas_of(const lws::LeaderWorkerSet& set) {
  return set.spec().has_replicas() ? set.spec().replicas() : 1;
}

std::int32_t size_of(const lws::LeaderWorkerSet& set) {
  const lws::LeaderWorkerTemplate& group = set.spec().leader_worker_template();
  return group.has_size() ? group.size() : 1;
}

std::string revision_key(const lws::LeaderWorkerSet& set) {
  return hex(hash_bytes(set.spec().leader_worker_template().SerializeAsString() +
                        set.spec().network_config().SerializeAsString()));
}

std::string gang_of(const lws::LeaderWorkerSet& set, std::int32_t group) {
  return set.metadata().namespace_() + "/" + set.metadata().name() + "-" + std::to_string(group);
}

bool Group::is_ready(std::int32_t size) const {
  return runs_ready(*leader) && static_cast<std::int32_t>(workers.size()) == size - 1 &&
         std::ranges::all_of(workers, [](const auto& entry) { return runs_ready(*entry.second); });
}

bool Group::is_of(std::string_view revision) const {
  return label_or(leader->metadata().labels(), kTemplateRevisionLabel) == revision;
}

bool Group::is_ending() const {
  return is_terminating(*leader);
}

bool Group::has_pending() const {
  const auto pending = [](const k8s::Pod& pod) { return pod.status().phase() == "Pending"; };
  return pending(*leader) ||
         std::ranges::any_of(workers, [&](const auto& entry) { return pending(*entry.second); });
}

PodPtr Group::failed_pod() const {
  const auto failed = [](const k8s::Pod& pod) { return was_restarted(pod) || is_terminating(pod); };
  if (failed(*leader)) return leader;
  for (const auto& [index, worker] : workers) {
    if (failed(*worker)) return worker;
  }
  return nullptr;
}

Groups groups_of(const lws::LeaderWorkerSet& set, const PodIndex& pods) {
  Groups groups;
  for (const auto& [path, leader] : pods.owned_by(set.metadata().uid()).all()) {
    const std::int32_t index = number_of(*leader, kGroupIndexLabel);
    if (index < 0) continue;
    Group& group = groups[index];
    group.leader = leader;
    for (const auto& [worker_path, worker] : pods.owned_by(leader->metadata().uid()).all()) {
      group.workers[number_of(*worker, kWorkerIndexLabel)] = worker;
    }
  }
  return groups;
}

k8s::Pod leader_pod(const lws::LeaderWorkerSet& set, std::int32_t group) {
  const lws::LeaderWorkerTemplate& templates = set.spec().leader_worker_template();
  // A set without a leader's template takes the workers'.
  k8s::Pod pod = pod_of(
      templates.has_leader_template() ? templates.leader_template() : templates.worker_template(),
      set.metadata().namespace_());
  const std::string name = set.metadata().name() + "-" + std::to_string(group);
  pod.mutable_metadata()->set_name(name);
  *pod.mutable_metadata()->add_owner_references() = controller_reference(set);
  label_pod(pod, set, {group, 0, name});
  return pod;
}

k8s::Pod worker_pod(const lws::LeaderWorkerSet& set, const k8s::Pod& leader, std::int32_t worker) {
  k8s::Pod pod =
      pod_of(set.spec().leader_worker_template().worker_template(), set.metadata().namespace_());
  const std::string& leader_name = leader.metadata().name();
  pod.mutable_metadata()->set_name(leader_name + "-" + std::to_string(worker));
  *pod.mutable_metadata()->add_owner_references() = controller_reference(leader);
  label_pod(pod, set, {number_of(leader, kGroupIndexLabel), worker, leader_name});
  set_label(*pod.mutable_metadata()->mutable_annotations(), kLeaderNameAnnotation, leader_name);
  return pod;
}

}  // namespace troupe::workloads
