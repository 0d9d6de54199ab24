// Grove says itself which pods are a gang: the PodGang that the pod names becomes the PodGroup, its
// pod groups sub-groups, and the configurations of several of them their parents.
#include <algorithm>
#include <map>

#include "actors/kai/grouping/registry.h"
#include "actors/kai/names.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

// Grove, api/common/constants.
constexpr std::string_view kPodGangLabel = "grove.io/podgang";
constexpr std::string_view kGroveTopologyAnnotation = "grove.io/topology-name";

class GangReader {
 public:
  GangReader(const GroupingCase& one, const grove::PodGang& gang)
      : one_(one), gang_(gang), spec_(gang.spec()) {
    topology_ = label_or(gang.metadata().annotations(), kGroveTopologyAnnotation);
    if (topology_.empty()) {
      topology_ = label_or(gang.metadata().annotations(), kTopologyAnnotation);
    }
  }

  Result<Grouping> read() {
    const GroupingCase of_gang(
        one_.pod(), {{"scheduler.grove.io/v1alpha1", "PodGang", gang_.metadata()}}, one_.options());
    Grouping grouping = of_gang.one_group();
    PodGroupSpec& spec = *grouping.group.mutable_spec();
    if (spec_.has_priority_class_name()) {
      spec.set_priority_class_name(spec_.priority_class_name());
    }
    if (is_packed(spec_.topology_constraint())) {
      if (topology_.empty()) return no_topology();
      *spec.mutable_topology_constraint() = constraint_of(spec_.topology_constraint());
    }
    if (auto added = add_parents(grouping.group); !added) return tl::unexpected(added.error());
    if (auto added = add_children(grouping); !added) return tl::unexpected(added.error());
    if (grouping.sub_group.empty()) {
      return fail("pod " + text_of(one_.pod().metadata()) + " is in no podReferences of PodGang " +
                  text_of(gang_.metadata()));
    }
    return grouping;
  }

 private:
  static std::string text_of(const k8s::ObjectMeta& meta) {
    return meta.namespace_() + "/" + meta.name();
  }
  static bool is_packed(const grove::GangTopologyConstraint& constraint) {
    return constraint.pack_constraint().has_required() ||
           constraint.pack_constraint().has_preferred();
  }
  [[nodiscard]] TopologyConstraint constraint_of(
      const grove::GangTopologyConstraint& constraint) const {
    return topology_constraint(topology_, constraint.pack_constraint().required(),
                               constraint.pack_constraint().preferred());
  }
  [[nodiscard]] tl::unexpected<Error> no_topology() const {
    return fail("PodGang " + text_of(gang_.metadata()) +
                ": topology name cannot be empty when topology constraints are defined");
  }

  Result<bool> constrain(SubGroup& sub_group, const grove::GangTopologyConstraint& constraint) {
    if (!is_packed(constraint)) return true;
    if (topology_.empty()) return no_topology();
    *sub_group.mutable_topology_constraint() = constraint_of(constraint);
    return true;
  }

  Result<bool> add_parents(PodGroup& group) {
    for (const auto& config : spec_.topology_constraint_group_configs()) {
      if (config.pod_group_names().empty()) continue;
      for (const std::string& child : config.pod_group_names()) parents_[child] = config.name();
      const auto done =
          constrain(add_sub_group(group, config.name(), 0), config.topology_constraint());
      if (!done) return done;
    }
    return true;
  }

  Result<bool> add_children(Grouping& grouping) {
    int total = 0;
    for (const grove::GangPodGroup& pods : spec_.podgroups()) {
      if (pods.min_replicas() < 1) {
        return fail("podgroup " + pods.name() + " of PodGang " + text_of(gang_.metadata()) +
                    ": invalid 'minReplicas' field. Must be greater than 0");
      }
      const auto parent = parents_.find(pods.name());
      SubGroup& sub_group =
          add_sub_group(grouping.group, pods.name(), pods.min_replicas(),
                        parent == parents_.end() ? std::string() : parent->second);
      const auto done = constrain(sub_group, pods.topology_constraint());
      if (!done) return done;
      total += pods.min_replicas();
      if (refers_to_pod(pods)) grouping.sub_group = pods.name();
    }
    grouping.group.mutable_spec()->set_min_member(std::max(total, 1));
    return true;
  }

  [[nodiscard]] bool refers_to_pod(const grove::GangPodGroup& pods) const {
    const k8s::ObjectMeta& pod = one_.pod().metadata();
    return std::any_of(pods.pod_references().begin(), pods.pod_references().end(),
                       [&](const grove::NamespacedName& reference) {
                         return reference.namespace_() == pod.namespace_() &&
                                reference.name() == pod.name();
                       });
  }

  const GroupingCase& one_;
  const grove::PodGang& gang_;
  const grove::PodGangSpec& spec_;
  std::string topology_;
  std::map<std::string, std::string> parents_;  ///< sub-group -> the one above it
};

}  // namespace

Result<Grouping> group_pod_gang(const GroupingCase& one) {
  const k8s::ObjectMeta& pod = one.pod().metadata();
  const std::string_view name = label_or(pod.labels(), kPodGangLabel);
  if (name.empty()) {
    return fail("label for podgang name (key: " + std::string(kPodGangLabel) +
                ") not found in pod " + pod.namespace_() + "/" + pod.name());
  }
  const auto gang = one.options().pod_gang(pod.namespace_() + "/" + std::string(name));
  if (gang == nullptr) {
    return fail("failed to get PodGang " + pod.namespace_() + "/" + std::string(name));
  }
  return GangReader(one, *gang).read();
}

}  // namespace troupe::kai
