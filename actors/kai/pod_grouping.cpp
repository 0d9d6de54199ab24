#include "actors/kai/pod_grouping.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "actors/kai/names.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

constexpr std::string_view kNamePrefix = "pg";
constexpr std::string_view kTrainClass = "train";
constexpr std::string_view kInferenceClass = "inference";

// LeaderWorkerSet, api/leaderworkerset/v1.
constexpr std::string_view kGroupIndexLabel = "leaderworkerset.sigs.k8s.io/group-index";
constexpr std::string_view kWorkerIndexLabel = "leaderworkerset.sigs.k8s.io/worker-index";
constexpr std::string_view kSizeAnnotation = "leaderworkerset.sigs.k8s.io/size";
constexpr std::string_view kLeader = "leader";
constexpr std::string_view kWorkers = "workers";

std::string group_name(std::string_view name, std::string_view uid) {
  return std::string(kNamePrefix) + "-" + std::string(name) + "-" + std::string(uid);
}

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The bare pod as its own owner.
OwnerView owner_of_itself(const k8s::Pod& pod) {
  OwnerView owner{"v1", "Pod", pod.metadata()};
  return owner;
}

class Grouper {
 public:
  Grouper(const k8s::Pod& pod, const std::vector<OwnerView>& owners, const GroupingOptions& options)
      : pod_(pod), options_(options), owners_(owners) {
    if (owners_.empty()) owners_.push_back(owner_of_itself(pod));
  }

  Result<Grouping> run() {
    Grouping grouping;
    fill_default(grouping.group);
    if (top().kind == "Deployment") {
      per_deployment_pod(grouping.group);
    } else if (top().kind == "Job") {
      set_name(grouping.group, group_name(pod_.metadata().name(), top().metadata.uid()));
    } else if (top().leader_worker_set) {
      return leader_worker_set(std::move(grouping));
    }
    return grouping;
  }

 private:
  [[nodiscard]] const OwnerView& top() const { return owners_.back(); }

  static void set_name(PodGroup& group, std::string name) {
    group.mutable_metadata()->set_name(std::move(name));
  }

  void fill_default(PodGroup& group) const {
    k8s::ObjectMeta& meta = *group.mutable_metadata();
    meta.set_namespace_(pod_.metadata().namespace_());
    set_name(group, group_name(top().metadata.name(), top().metadata.uid()));
    *meta.mutable_labels() = top().metadata.labels();
    *meta.mutable_annotations() = top().metadata.annotations();
    set_owner(group, top());
    PodGroupSpec& spec = *group.mutable_spec();
    spec.set_min_member(1);
    spec.set_queue(queue());
    spec.set_priority_class_name(priority_class(owners_, kTrainClass));
    if (const std::string preemptibility = this->preemptibility(); !preemptibility.empty()) {
      spec.set_preemptibility(preemptibility);
    }
    set_topology(spec);
  }

  static void set_owner(PodGroup& group, const OwnerView& owner) {
    group.mutable_metadata()->clear_owner_references();
    k8s::OwnerReference& reference = *group.mutable_metadata()->add_owner_references();
    reference.set_api_version(owner.api_version);
    reference.set_kind(owner.kind);
    reference.set_name(owner.metadata.name());
    reference.set_uid(owner.metadata.uid());
  }

  void set_topology(PodGroupSpec& spec) const {
    const auto& annotations = top().metadata.annotations();
    const std::string_view topology = label_or(annotations, kTopologyAnnotation);
    if (topology.empty()) return;
    TopologyConstraint& constraint = *spec.mutable_topology_constraint();
    constraint.set_topology(std::string(topology));
    const std::string_view required = label_or(annotations, kTopologyRequiredAnnotation);
    const std::string_view preferred = label_or(annotations, kTopologyPreferredAnnotation);
    if (!required.empty()) constraint.set_required_topology_level(std::string(required));
    if (!preferred.empty()) constraint.set_preferred_topology_level(std::string(preferred));
  }

  /// A label of the top owner, else of the pod.
  [[nodiscard]] std::string_view label(std::string_view key) const {
    const std::string_view of_owner = label_or(top().metadata.labels(), key);
    return of_owner.empty() ? label_or(pod_.metadata().labels(), key) : of_owner;
  }

  [[nodiscard]] std::string queue() const {
    for (const std::string_view key : {std::string_view(options_.queue_label), kProjectLabel}) {
      if (const std::string_view queue = label(key); !queue.empty()) return std::string(queue);
    }
    return options_.default_queue;
  }

  [[nodiscard]] std::string priority_class(const std::vector<OwnerView>& owners,
                                           std::string_view fallback) const {
    for (const OwnerView& owner : owners) {
      std::string name(label_or(owner.metadata.labels(), kPriorityLabel));
      if (name.empty()) name = label_or(pod_.metadata().labels(), kPriorityLabel);
      if (name.empty()) name = pod_.spec().priority_class_name();
      if (!name.empty() && options_.class_exists(name)) return name;
    }
    return std::string(fallback);
  }

  [[nodiscard]] std::string preemptibility() const {
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

  void per_deployment_pod(PodGroup& group) const {
    set_name(group, group_name(pod_.metadata().name(), pod_.metadata().uid()));
    set_owner(group, owner_of_itself(pod_));
    group.mutable_spec()->set_priority_class_name(priority_class({top()}, kInferenceClass));
  }

  [[nodiscard]] bool is_leader() const {
    return label_or(pod_.metadata().labels(), kWorkerIndexLabel) == "0";
  }

  Result<Grouping> leader_worker_set(Grouping grouping) const {
    const lws::LeaderWorkerSetSpec& spec = *top().leader_worker_set;
    const int size =
        spec.leader_worker_template().has_size() ? spec.leader_worker_template().size() : 1;
    if (size <= 0) {
      return fail("invalid leaderWorkerTemplate.size " + std::to_string(size) + " in LWS " +
                  top().metadata.namespace_() + "/" + top().metadata.name());
    }
    const std::string& policy = spec.startup_policy();
    const int minimum = policy == "LeaderReady" ? minimum_when_ready(size) : size;
    PodGroup& group = grouping.group;
    group.mutable_spec()->set_min_member(minimum);
    add_sub_group(group, kLeader, 1);
    if (minimum > 1) add_sub_group(group, kWorkers, minimum - 1);
    grouping.sub_group = is_leader() ? kLeader : minimum > 1 ? kWorkers : "";
    const auto index = number_of(label_or(pod_.metadata().labels(), kGroupIndexLabel));
    if (index) set_name(group, group.metadata().name() + "-group-" + std::to_string(*index));
    return grouping;
  }

  /// With LeaderReady the workers are made after the leader: until it has a node, it is the whole
  /// gang.
  [[nodiscard]] int minimum_when_ready(int size) const {
    if (is_leader() && pod_.spec().node_name().empty()) return 1;
    return number_of(label_or(pod_.metadata().annotations(), kSizeAnnotation)).value_or(size);
  }

  static void add_sub_group(PodGroup& group, std::string_view name, int minimum) {
    SubGroup& added = *group.mutable_spec()->add_sub_groups();
    added.set_name(std::string(name));
    added.set_min_member(minimum);
  }

  const k8s::Pod& pod_;
  const GroupingOptions& options_;
  std::vector<OwnerView> owners_;
};

}  // namespace

Result<Grouping> group_pod(const k8s::Pod& pod, const std::vector<OwnerView>& owners,
                           const GroupingOptions& options) {
  return Grouper(pod, owners, options).run();
}

std::optional<PodGroup> updated_group(const PodGroup& is, const PodGroup& wanted) {
  PodGroup updated = is;
  PodGroupSpec& spec = *updated.mutable_spec();
  spec.set_min_member(wanted.spec().min_member());
  spec.set_priority_class_name(wanted.spec().priority_class_name());
  if (wanted.spec().has_preemptibility()) {
    spec.set_preemptibility(wanted.spec().preemptibility());
  } else {
    spec.clear_preemptibility();
  }
  *spec.mutable_sub_groups() = wanted.spec().sub_groups();
  if (spec.SerializeAsString() == is.spec().SerializeAsString()) return std::nullopt;
  return updated;
}

std::vector<SubGroupSettings> pod_sets_of(const PodGroup& group) {
  const PodGroupSpec& spec = group.spec();
  std::vector<SubGroupSettings> leaves;
  for (const SubGroup& sub_group : spec.sub_groups()) {
    const bool has_children =
        std::any_of(spec.sub_groups().begin(), spec.sub_groups().end(),
                    [&](const SubGroup& other) { return other.parent() == sub_group.name(); });
    if (has_children) continue;
    leaves.push_back({sub_group.name(), std::max(sub_group.min_member(), 1), sub_group.parent()});
  }
  if (leaves.empty()) {
    leaves.push_back({std::string(kDefaultSubGroup), std::max(spec.min_member(), 1), ""});
  }
  return leaves;
}

std::int64_t minimum_of(const PodGroup& group) {
  std::int64_t sum = 0;
  for (const SubGroupSettings& leaf : pod_sets_of(group)) sum += leaf.min_member;
  return sum;
}

}  // namespace troupe::kai
