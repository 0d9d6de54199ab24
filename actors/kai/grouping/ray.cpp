// A Ray cluster is one gang: its head and each group of workers as sub-groups. A RayJob and a
// RayService are grouped by the cluster that they made, and own the group.
#include <algorithm>

#include "actors/kai/grouping/registry.h"
#include "actors/kai/names.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

// KubeRay, controllers/ray/utils/constant.go.
constexpr std::string_view kRayGroupLabel = "ray.io/group";
constexpr std::string_view kHeadGroup = "headgroup";
// KAI, plugins/ray/ray_grouper.go.
constexpr std::string_view kRayPriorityLabel = "ray.io/priority-class-name";

std::string cluster_name(const GroupingCase& one) {
  if (const auto* job = one.top_as<ray::RayJob>()) return job->status().ray_cluster_name();
  if (const auto* service = one.top_as<ray::RayService>()) {
    const std::string& active = service->status().active_service_status().ray_cluster_name();
    return active.empty() ? service->status().pending_service_status().ray_cluster_name() : active;
  }
  return one.top().metadata.name();
}

void constrain_topology(SubGroup& sub_group, const k8s::PodTemplateSpec& pods) {
  const auto& annotations = pods.metadata().annotations();
  const std::string_view topology = label_or(annotations, kTopologyAnnotation);
  const std::string_view required = label_or(annotations, kTopologyRequiredAnnotation);
  const std::string_view preferred = label_or(annotations, kTopologyPreferredAnnotation);
  if (topology.empty() || (required.empty() && preferred.empty())) return;
  *sub_group.mutable_topology_constraint() = topology_constraint(topology, required, preferred);
}

/// Pods that the group of workers needs at least; 0 where it is left out.
Result<int> minimum_of_workers(const ray::WorkerGroupSpec& workers, int number) {
  if (workers.suspended()) return 0;
  const int replicas = workers.replicas();
  const int minimum = workers.min_replicas();
  if (minimum > replicas) {
    return fail(
        "ray-cluster replicas for a workerGroupsSpec can't be less than minReplicas. Given " +
        std::to_string(replicas) + " replicas and " + std::to_string(minimum) +
        " minReplicas. Please fix the replicas field for group number " + std::to_string(number));
  }
  const int hosts = workers.has_num_of_hosts() ? workers.num_of_hosts() : 1;
  return hosts * (minimum > 0 ? minimum : replicas);
}

Result<Grouping> ray_gang(const GroupingCase& one, const ray::RayCluster& cluster) {
  Grouping grouping = one.one_group();
  PodGroup& group = grouping.group;
  constrain_topology(add_sub_group(group, kHeadGroup, 1),
                     cluster.spec().head_group_spec().template_());
  int total = 1;
  int number = 0;
  for (const ray::WorkerGroupSpec& workers : cluster.spec().worker_group_specs()) {
    const Result<int> minimum = minimum_of_workers(workers, number);
    if (!minimum) return tl::unexpected(minimum.error());
    if (*minimum > 0) {
      const std::string name = workers.group_name().empty()
                                   ? "worker-group-" + std::to_string(number)
                                   : workers.group_name();
      constrain_topology(add_sub_group(group, name, *minimum), workers.template_());
      total += *minimum;
    }
    ++number;
  }
  group.mutable_spec()->set_min_member(total);
  const std::string_view own = label_or(one.pod().metadata().labels(), kRayGroupLabel);
  const auto& sub_groups = group.spec().sub_groups();
  if (std::any_of(sub_groups.begin(), sub_groups.end(),
                  [&](const SubGroup& sub_group) { return sub_group.name() == own; })) {
    grouping.sub_group = own;
  }
  return grouping;
}

}  // namespace

Result<Grouping> group_ray(const GroupingCase& one) {
  const k8s::ObjectMeta& top = one.top().metadata;
  const std::string name = cluster_name(one);
  if (name.empty()) {
    return fail("failed to extract rayClusterName for " + top.namespace_() + "/" + top.name() +
                " of kind " + one.top().kind +
                ": the Ray operator has not made a RayCluster for it yet");
  }
  const auto cluster = one.options().ray_cluster(top.namespace_() + "/" + name);
  if (cluster == nullptr) {
    return fail("failed to find RayCluster " + top.namespace_() + "/" + name);
  }
  Result<Grouping> grouping = ray_gang(one, *cluster);
  const std::string_view priority = label_or(top.labels(), kRayPriorityLabel);
  if (grouping && !priority.empty()) {
    grouping->group.mutable_spec()->set_priority_class_name(std::string(priority));
  }
  return grouping;
}

}  // namespace troupe::kai
