// A PyTorchJob is one gang with its master and its workers as sub-groups, the workers in segments
// where that is asked for. An elastic one needs no more than its minReplicas.
#include <algorithm>
#include <utility>

#include "actors/kai/grouping/registry.h"
#include "actors/kai/grouping/segments.h"
#include "actors/kai/grouping/training_roles.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

// kubeflow.org/v1, common_types.go.
constexpr std::string_view kReplicaTypeLabel = "training.kubeflow.org/replica-type";
constexpr std::string_view kReplicaIndexLabel = "training.kubeflow.org/replica-index";
constexpr std::string_view kMaster = "master";
constexpr std::string_view kWorker = "worker";

const kubeflow::ReplicaSpec* find_workers(const kubeflow::PyTorchJob& job) {
  for (const kubeflow::Role& role : job.spec().pytorch_replica_specs()) {
    if (role.role() == "Worker") return &role.spec();
  }
  return nullptr;
}

/// Sub-groups "worker-<i>" under "worker", so many workers in each; what does not fill a segment
/// belongs to none, as in KAI.
Result<Grouping> segmented_workers(const GroupingCase& one, Grouping grouping, int workers,
                                   const SegmentRules& segments) {
  for (int i = 0; i < workers / segments.size; ++i) {
    const std::string name = std::string(kWorker) + "-" + std::to_string(i);
    segments.constrain(add_sub_group(grouping.group, name, segments.size, kWorker));
  }
  if (grouping.sub_group != kWorker) return grouping;
  const k8s::ObjectMeta& pod = one.pod().metadata();
  const auto index = whole_number(label_or(pod.labels(), kReplicaIndexLabel));
  if (!index) {
    return fail("replica index label not found on pod " + pod.namespace_() + "/" + pod.name());
  }
  const int segment = *index / segments.size;
  grouping.sub_group = segment < workers / segments.size
                           ? std::string(kWorker) + "-" + std::to_string(segment)
                           : std::string();
  return grouping;
}

}  // namespace

Result<Grouping> group_pytorch_job(const GroupingCase& one) {
  Result<Grouping> grouping = training_gang(one);
  if (!grouping) return grouping;
  const auto* job = one.top_as<kubeflow::PyTorchJob>();
  PodGroupSpec& spec = *grouping->group.mutable_spec();
  const bool decided = job->spec().run_policy().scheduling_policy().has_min_available();
  if (!decided && job->spec().elastic_policy().has_min_replicas()) {
    spec.set_min_member(std::max(job->spec().elastic_policy().min_replicas(), 1));
  }
  const TrainingRoles training = training_roles(one);
  const int masters = replicas_of_role(training, "Master");
  if (masters > 0) add_sub_group(grouping->group, kMaster, masters);
  const std::string_view role = label_or(one.pod().metadata().labels(), kReplicaTypeLabel);
  if (role == kMaster && masters > 0) grouping->sub_group = kMaster;
  const kubeflow::ReplicaSpec* workers = find_workers(*job);
  if (workers == nullptr) return grouping;
  add_sub_group(grouping->group, kWorker, std::max(spec.min_member() - masters, 0));
  if (role == kWorker) grouping->sub_group = kWorker;
  const auto segments = segments_of(one, workers->template_().metadata());
  if (!segments) return tl::unexpected(segments.error());
  if (!*segments) return grouping;
  return segmented_workers(one, *std::move(grouping), replicas_of_role(training, "Worker"),
                           **segments);
}

}  // namespace troupe::kai
