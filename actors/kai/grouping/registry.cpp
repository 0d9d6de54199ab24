#include "actors/kai/grouping/registry.h"

namespace troupe::kai {
namespace {

Result<Grouping> group_default(const GroupingCase& one) {
  return one.one_group();
}

struct PluginRow {
  std::string_view group;  ///< the API group; every version of it
  std::string_view kind;
  GroupPlugin plugin;
};

/// KAI, pkg/podgrouper/podgrouper/hub/hub.go. A kind that is not here gets the default, as do
/// ReplicaSet and StatefulSet there.
constexpr PluginRow kPlugins[] = {
    {"", "Pod", group_bare_pod},
    {"apps", "Deployment", group_deployment},
    {"argoproj.io", "Workflow", group_skipped_owner},
    {"batch", "CronJob", group_job},
    {"batch", "Job", group_job},
    {"grove.io", "PodCliqueSet", group_pod_gang},
    {"grove.io", "PodGangSet", group_pod_gang},
    {"jobset.x-k8s.io", "JobSet", group_job_set},
    {"kubeflow.org", "JAXJob", group_training_job},
    {"kubeflow.org", "MPIJob", group_mpi_job},
    {"kubeflow.org", "Notebook", group_notebook},
    {"kubeflow.org", "PyTorchJob", group_pytorch_job},
    {"kubeflow.org", "TFJob", group_training_job},
    {"kubeflow.org", "XGBoostJob", group_training_job},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", group_leader_worker_set},
    {"nvidia.com", "DynamoGraphDeployment", group_skipped_owner},
    {"ray.io", "RayCluster", group_ray},
    {"ray.io", "RayJob", group_ray},
    {"ray.io", "RayService", group_ray},
    {"run.ai", "DistributedInferenceWorkload", group_skipped_owner},
    {"run.ai", "DistributedWorkload", group_skipped_owner},
    {"run.ai", "InferenceWorkload", group_skipped_owner},
    {"run.ai", "InteractiveWorkload", group_skipped_owner},
    {"run.ai", "TrainingWorkload", group_skipped_owner},
    {"serving.knative.dev", "Service", group_knative},
    {"trainer.kubeflow.org", "TrainJob", group_skipped_owner},
};

std::string_view group_of_version(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

GroupPlugin plugin_of(const OwnerView& top) {
  const std::string_view group = group_of_version(top.api_version);
  for (const PluginRow& row : kPlugins) {
    if (row.group == group && row.kind == top.kind) return row.plugin;
  }
  return group_default;
}

}  // namespace troupe::kai
