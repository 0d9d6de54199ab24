#include "actors/kai/grouping/grouping_case.h"

#include <charconv>
#include <utility>

#include "actors/kai/names.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

constexpr std::string_view kNamePrefix = "pg";

OwnerView owner_of_itself(const k8s::Pod& pod) {
  return {"v1", "Pod", pod.metadata()};
}

}  // namespace

std::string group_name(std::string_view name, std::string_view uid) {
  return std::string(kNamePrefix) + "-" + std::string(name) + "-" + std::string(uid);
}

void set_owner(PodGroup& group, const OwnerView& owner) {
  group.mutable_metadata()->clear_owner_references();
  k8s::OwnerReference& reference = *group.mutable_metadata()->add_owner_references();
  reference.set_api_version(owner.api_version);
  reference.set_kind(owner.kind);
  reference.set_name(owner.metadata.name());
  reference.set_uid(owner.metadata.uid());
}

SubGroup& add_sub_group(PodGroup& group, std::string_view name, int minimum,
                        std::string_view parent) {
  SubGroup& added = *group.mutable_spec()->add_sub_groups();
  added.set_name(std::string(name));
  added.set_min_member(minimum);
  if (!parent.empty()) added.set_parent(std::string(parent));
  return added;
}

TopologyConstraint topology_constraint(std::string_view topology, std::string_view required,
                                       std::string_view preferred) {
  TopologyConstraint constraint;
  constraint.set_topology(std::string(topology));
  if (!required.empty()) constraint.set_required_topology_level(std::string(required));
  if (!preferred.empty()) constraint.set_preferred_topology_level(std::string(preferred));
  return constraint;
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

GroupingCase::GroupingCase(const k8s::Pod& pod, std::vector<OwnerView> owners,
                           const GroupingOptions& options)
    : pod_(pod), options_(options), owners_(std::move(owners)) {
  if (owners_.empty()) owners_.push_back(owner_of_itself(pod));
}

GroupingCase GroupingCase::without_top() const {
  std::vector<OwnerView> below = owners_;
  below.pop_back();
  if (below.empty()) below.push_back(owner_of_itself(pod_));
  for (const auto& skipped : top().metadata.labels()) {
    set_label(*below.back().metadata.mutable_labels(), skipped.key(), skipped.value());
  }
  return {pod_, std::move(below), options_};
}

Grouping GroupingCase::one_group(std::string_view fallback) const {
  Grouping grouping;
  k8s::ObjectMeta& meta = *grouping.group.mutable_metadata();
  meta.set_namespace_(pod_.metadata().namespace_());
  meta.set_name(group_name(top().metadata.name(), top().metadata.uid()));
  *meta.mutable_labels() = top().metadata.labels();
  *meta.mutable_annotations() = top().metadata.annotations();
  set_owner(grouping.group, top());
  PodGroupSpec& spec = *grouping.group.mutable_spec();
  spec.set_min_member(1);
  spec.set_queue(queue());
  spec.set_priority_class_name(priority_class(owners_, fallback));
  if (const std::string named = preemptibility(); !named.empty()) spec.set_preemptibility(named);
  const auto& annotations = top().metadata.annotations();
  if (const auto topology = label_or(annotations, kTopologyAnnotation); !topology.empty()) {
    *spec.mutable_topology_constraint() =
        topology_constraint(topology, label_or(annotations, kTopologyRequiredAnnotation),
                            label_or(annotations, kTopologyPreferredAnnotation));
  }
  return grouping;
}

Grouping GroupingCase::own_group(std::string_view fallback) const {
  Grouping grouping = one_group(fallback);
  grouping.group.mutable_metadata()->set_name(
      group_name(pod_.metadata().name(), pod_.metadata().uid()));
  set_owner(grouping.group, owner_of_itself(pod_));
  grouping.group.mutable_spec()->set_priority_class_name(priority_class({top()}, fallback));
  return grouping;
}

std::string GroupingCase::top_text() const {
  return top().kind + " " + top().metadata.namespace_() + "/" + top().metadata.name();
}

/// A label of the top owner, else of the pod.
std::string_view GroupingCase::label(std::string_view key) const {
  const std::string_view of_owner = label_or(top().metadata.labels(), key);
  return of_owner.empty() ? label_or(pod_.metadata().labels(), key) : of_owner;
}

std::string GroupingCase::queue() const {
  for (const std::string_view key : {std::string_view(options_.queue_label), kProjectLabel}) {
    if (const std::string_view queue = label(key); !queue.empty()) return std::string(queue);
  }
  return options_.default_queue;
}

std::string GroupingCase::priority_class(const std::vector<OwnerView>& owners,
                                         std::string_view fallback) const {
  for (const OwnerView& owner : owners) {
    std::string name(label_or(owner.metadata.labels(), kPriorityLabel));
    if (name.empty()) name = label_or(pod_.metadata().labels(), kPriorityLabel);
    if (name.empty()) name = pod_.spec().priority_class_name();
    if (!name.empty() && options_.class_exists(name)) return name;
  }
  return std::string(fallback);
}

std::string GroupingCase::preemptibility() const {
  const auto valid = [](std::string_view value) {
    return value == "preemptible" || value == "non-preemptible";
  };
  for (const OwnerView& owner : owners_) {
    const std::string_view value = label_or(owner.metadata.labels(), kPreemptibilityLabel);
    if (valid(value)) return std::string(value);
  }
  const std::string_view value = label_or(pod_.metadata().labels(), kPreemptibilityLabel);
  return valid(value) ? std::string(value) : std::string();
}

}  // namespace troupe::kai
