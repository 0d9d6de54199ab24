#include "actors/workloads/ray/cluster_plan.h"

#include <algorithm>
#include <map>

#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

// KubeRay, controllers/ray/utils/constant.go.
constexpr std::string_view kClusterLabel = "ray.io/cluster";
constexpr std::string_view kNodeTypeLabel = "ray.io/node-type";
constexpr std::string_view kGroupLabel = "ray.io/group";
constexpr std::string_view kIsRayNodeLabel = "ray.io/is-ray-node";
constexpr std::string_view kHeadGroup = "headgroup";

struct RayPlace {
  std::string name;
  std::string_view type;
  std::string_view group;
};

k8s::Pod ray_pod(const ray::RayCluster& cluster, const k8s::PodTemplateSpec& pods,
                 const RayPlace& place) {
  k8s::Pod pod = pod_of(pods, cluster.metadata().namespace_());
  k8s::ObjectMeta& meta = *pod.mutable_metadata();
  meta.set_name(place.name);
  *meta.add_owner_references() = controller_reference(cluster);
  LabelMap& labels = *meta.mutable_labels();
  set_label(labels, kClusterLabel, cluster.metadata().name());
  set_label(labels, kNodeTypeLabel, place.type);
  set_label(labels, kGroupLabel, place.group);
  set_label(labels, kIsRayNodeLabel, "yes");
  return pod;
}

/// Replicas of the group, within its bounds: utils.GetWorkerGroupDesiredReplicas.
std::int32_t desired_replicas(const ray::WorkerGroupSpec& group) {
  if (group.suspend()) return 0;
  const std::int32_t wanted = std::max(group.replicas(), group.min_replicas());
  return group.has_max_replicas() ? std::min(wanted, group.max_replicas()) : wanted;
}

std::int32_t hosts_of(const ray::WorkerGroupSpec& group) {
  return group.has_num_of_hosts() ? group.num_of_hosts() : 1;
}

bool is_running_and_ready(const k8s::Pod& pod) {
  return pod.status().phase() == "Running" && is_ready(pod) && !is_terminating(pod);
}

class RayClusterPlanner {
 public:
  RayClusterPlanner(const ray::RayCluster& cluster, const OwnedPods& pods, SimTime now)
      : cluster_(cluster), now_(now) {
    plan_.updated = cluster;
    for (const auto& [path, pod] : pods.all()) surplus_[pod->metadata().name()] = pod;
  }

  NamedPodsPlan<ray::RayCluster> run() {
    const bool suspended = cluster_.spec().suspend();
    if (!suspended) keep_pods();
    for (const auto& [name, pod] : surplus_) remove(pod);
    report(suspended);
    return std::move(plan_);
  }

 private:
  void keep_pods() {
    const std::string& name = cluster_.metadata().name();
    head_ready_ = keep(ray_pod(cluster_, cluster_.spec().head_group_spec().template_(),
                               {name + "-head", "head", kHeadGroup}));
    for (const ray::WorkerGroupSpec& group : cluster_.spec().worker_group_specs()) {
      for (const std::string& doomed : group.scale_strategy().workers_to_delete()) {
        const auto at = surplus_.find(doomed);
        if (at != surplus_.end()) remove(at->second);
      }
      const std::int32_t pods = desired_replicas(group) * hosts_of(group);
      for (std::int32_t index = 0; index < pods; ++index) {
        const bool ready =
            keep(ray_pod(cluster_, group.template_(),
                         {name + "-" + group.group_name() + "-worker-" + std::to_string(index),
                          "worker", group.group_name()}));
        if (ready) ++ready_workers_;
      }
    }
  }

  /// Sees to it that the pod is there; true if it runs and is ready. One that has ended is deleted,
  /// and made anew once it is gone.
  bool keep(k8s::Pod wanted) {
    const auto there = surplus_.extract(wanted.metadata().name());
    if (there.empty()) {
      plan_.create.push_back(std::move(wanted));
      return false;
    }
    const PodPtr& pod = there.mapped();
    if (is_terminal(*pod)) remove(pod);
    return is_running_and_ready(*pod);
  }

  void remove(const PodPtr& pod) {
    if (!is_terminating(*pod)) plan_.remove.push_back(pod);
  }

  void say(std::string_view type, bool value, std::string_view reason, std::string_view message) {
    set_condition(*plan_.updated.mutable_status()->mutable_conditions(),
                  {type, value ? "True" : "False", reason, message}, now_);
  }

  void report(bool suspended) {
    ray::RayClusterStatus& status = *plan_.updated.mutable_status();
    std::int32_t desired = 0;
    std::int32_t minimum = 0;
    for (const ray::WorkerGroupSpec& group : cluster_.spec().worker_group_specs()) {
      desired += desired_replicas(group) * hosts_of(group);
      if (!group.suspend()) minimum += group.min_replicas() * hosts_of(group);
    }
    status.set_desired_worker_replicas(desired);
    status.set_min_worker_replicas(minimum);
    status.set_ready_worker_replicas(ready_workers_);
    status.set_available_worker_replicas(ready_workers_);
    status.set_observed_generation(cluster_.metadata().generation());
    const bool all_ready = head_ready_ && ready_workers_ == desired;
    if (suspended) {
      status.set_state("suspended");
    } else if (all_ready) {
      status.set_state("ready");
    }
    say("HeadPodReady", head_ready_, head_ready_ ? "HeadPodRunningAndReady" : "HeadPodNotReady",
        head_ready_ ? "Head Pod ready" : "Head Pod is not running and ready");
    // It says that all were ready once, and stays.
    if (all_ready && !suspended) {
      say("RayClusterProvisioned", true, "AllPodRunningAndReadyFirstTime",
          "All Ray Pods are ready for the first time");
    }
  }

  const ray::RayCluster& cluster_;
  SimTime now_;
  NamedPodsPlan<ray::RayCluster> plan_;
  std::map<std::string, PodPtr> surplus_;  ///< by name: those that nothing asks for, at the end
  std::int32_t ready_workers_ = 0;
  bool head_ready_ = false;
};

}  // namespace

NamedPodsPlan<ray::RayCluster> plan_ray_cluster(const ray::RayCluster& cluster,
                                                const OwnedPods& pods, SimTime now) {
  return RayClusterPlanner(cluster, pods, now).run();
}

}  // namespace troupe::workloads
