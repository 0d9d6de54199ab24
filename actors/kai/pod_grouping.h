// Which PodGroup a pod belongs to: KAI's pod-grouper as a pure function of the pod and its owners.
//
// The owner at the top of the chain decides: each kind that KAI knows has a plugin
// (grouping/registry.cpp); any other makes one group with a minimum of one, which grows pod by pod.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/kai/job.h"
#include "messages/grove.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/kai.pb.h"
#include "messages/payload.h"
#include "messages/ray.pb.h"
#include "messages/result.h"

namespace troupe::kai {

/// An owner as the chain of references leads to it.
struct OwnerView {
  std::string api_version;
  std::string kind;
  k8s::ObjectMeta metadata;
  /// The whole object; empty where the emulation does not model its kind.
  Payload object = {};
};

struct GroupingOptions {
  std::string queue_label = "kai.scheduler/queue";
  std::string default_queue = "default-queue";
  /// --knative-gang-schedule: whether the pods of a Knative revision are one gang.
  bool knative_gangs = true;
  /// Whether a priority class of that name exists.
  std::function<bool(const std::string&)> class_exists;
  /// Grove's PodGang at "namespace/name", or null.
  std::function<std::shared_ptr<const grove::PodGang>(const std::string&)> pod_gang;
  /// The RayCluster at "namespace/name", or null.
  std::function<std::shared_ptr<const ray::RayCluster>(const std::string&)> ray_cluster;
  /// Whether the MPIJob at "namespace/name" has a launcher pod that is not being deleted.
  std::function<bool(const std::string&)> has_launcher;
};

/// The group, and which part of it the pod is.
struct Grouping {
  PodGroup group;
  std::string sub_group;  ///< empty: none
};

/// `owners`: from the pod's own owner up to the top; empty for a bare pod, which is then its own
/// owner.
[[nodiscard]] Result<Grouping> group_pod(const k8s::Pod& pod, const std::vector<OwnerView>& owners,
                                         const GroupingOptions& options);

/// The group as it is to be, where one exists: what others may have set of it is kept. Nothing if
/// it is so already.
[[nodiscard]] std::optional<PodGroup> updated_group(const PodGroup& is, const PodGroup& wanted);

/// The pod sets of the group with their minimums: its leaf sub-groups, or the default one.
[[nodiscard]] std::vector<SubGroupSettings> pod_sets_of(const PodGroup& group);
/// The sum of what all its pod sets need; more than one makes a gang.
[[nodiscard]] std::int64_t minimum_of(const PodGroup& group);

}  // namespace troupe::kai
