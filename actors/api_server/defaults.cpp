#include "actors/api_server/defaults.h"

#include "actors/api_server/defaults_pod.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/scheduling.pb.h"
#include "messages/k8s/storage.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/labels.h"
#include "messages/lws.pb.h"

namespace troupe::apiserver {
namespace {

void fill(k8s::Pod& pod) {
  default_pod(pod);
}

void fill(k8s::Deployment& deployment) {  // apps/v1 SetDefaults_Deployment
  k8s::DeploymentSpec& spec = *deployment.mutable_spec();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
  if (!spec.has_replicas()) spec.set_replicas(1);
  if (!spec.has_revision_history_limit()) spec.set_revision_history_limit(10);
  if (!spec.has_progress_deadline_seconds()) spec.set_progress_deadline_seconds(600);
  k8s::DeploymentStrategy& strategy = *spec.mutable_strategy();
  if (!strategy.has_type()) strategy.set_type("RollingUpdate");
  if (strategy.type() != "RollingUpdate") return;
  k8s::RollingUpdate& rolling = *strategy.mutable_rolling_update();
  if (!rolling.has_max_surge()) rolling.set_max_surge("25%");
  if (!rolling.has_max_unavailable()) rolling.set_max_unavailable("25%");
}

void fill(k8s::ReplicaSet& set) {  // apps/v1 SetDefaults_ReplicaSet
  default_pod_spec(*set.mutable_spec()->mutable_template_()->mutable_spec());
  if (!set.spec().has_replicas()) set.mutable_spec()->set_replicas(1);
}

void fill(k8s::StatefulSet& set) {  // apps/v1 SetDefaults_StatefulSet
  k8s::StatefulSetSpec& spec = *set.mutable_spec();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
  if (!spec.has_replicas()) spec.set_replicas(1);
  if (!spec.has_pod_management_policy()) spec.set_pod_management_policy("OrderedReady");
  if (!spec.has_revision_history_limit()) spec.set_revision_history_limit(10);
  k8s::UpdateStrategy& strategy = *spec.mutable_update_strategy();
  if (!strategy.has_type()) strategy.set_type("RollingUpdate");
  if (strategy.type() == "RollingUpdate" && !strategy.rolling_update().has_partition()) {
    strategy.mutable_rolling_update()->set_partition(0);
  }
  k8s::StatefulSetRetention& retention = *spec.mutable_persistent_volume_claim_retention_policy();
  if (!retention.has_when_deleted()) retention.set_when_deleted("Retain");
  if (!retention.has_when_scaled()) retention.set_when_scaled("Retain");
}

void fill(k8s::DaemonSet& set) {  // apps/v1 SetDefaults_DaemonSet
  k8s::DaemonSetSpec& spec = *set.mutable_spec();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
  if (!spec.has_revision_history_limit()) spec.set_revision_history_limit(10);
  k8s::UpdateStrategy& strategy = *spec.mutable_update_strategy();
  if (!strategy.has_type()) strategy.set_type("RollingUpdate");
  if (strategy.type() != "RollingUpdate") return;
  k8s::RollingUpdate& rolling = *strategy.mutable_rolling_update();
  if (!rolling.has_max_unavailable()) rolling.set_max_unavailable("1");
  if (!rolling.has_max_surge()) rolling.set_max_surge("0");
}

void fill(k8s::JobSpec& spec) {  // batch/v1 SetDefaults_Job
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
  if (!spec.has_completions() && !spec.has_parallelism()) spec.set_completions(1);
  if (!spec.has_parallelism()) spec.set_parallelism(1);
  if (!spec.has_backoff_limit()) spec.set_backoff_limit(6);
  if (!spec.has_completion_mode()) spec.set_completion_mode("NonIndexed");
  if (!spec.has_suspend()) spec.set_suspend(false);
  if (!spec.has_pod_replacement_policy()) {
    spec.set_pod_replacement_policy("TerminatingOrFailed");
  }
}

void fill(k8s::Job& job) {
  fill(*job.mutable_spec());
}

void fill(k8s::CronJob& job) {  // batch/v1 SetDefaults_CronJob
  k8s::CronJobSpec& spec = *job.mutable_spec();
  fill(*spec.mutable_job_template()->mutable_spec());
  if (!spec.has_concurrency_policy()) spec.set_concurrency_policy("Allow");
  if (!spec.has_suspend()) spec.set_suspend(false);
  if (!spec.has_successful_jobs_history_limit()) spec.set_successful_jobs_history_limit(3);
  if (!spec.has_failed_jobs_history_limit()) spec.set_failed_jobs_history_limit(1);
}

void fill(k8s::Service& service) {  // core/v1 SetDefaults_Service
  k8s::ServiceSpec& spec = *service.mutable_spec();
  if (!spec.has_type()) spec.set_type("ClusterIP");
  if (!spec.has_session_affinity()) spec.set_session_affinity("None");
  if (!spec.has_internal_traffic_policy()) spec.set_internal_traffic_policy("Cluster");
  for (k8s::ServicePort& port : *spec.mutable_ports()) {
    if (!port.has_protocol()) port.set_protocol("TCP");
    if (!port.has_target_port()) port.set_target_port(std::to_string(port.port()));
  }
}

void add_policy(k8s::HPAScalingRules& rules, const std::string& type, std::int32_t value) {
  k8s::HPAScalingPolicy& policy = *rules.add_policies();
  policy.set_type(type);
  policy.set_value(value);
  policy.set_period_seconds(15);
}

void fill(k8s::HorizontalPodAutoscaler& hpa) {  // autoscaling/v2 defaults.go
  k8s::HorizontalPodAutoscalerSpec& spec = *hpa.mutable_spec();
  if (!spec.has_min_replicas()) spec.set_min_replicas(1);
  if (spec.metrics().empty()) {
    k8s::MetricSpec& metric = *spec.add_metrics();
    metric.set_type("Resource");
    metric.mutable_resource()->set_name("cpu");
    metric.mutable_resource()->mutable_target()->set_type("Utilization");
    metric.mutable_resource()->mutable_target()->set_average_utilization(80);
  }
  const bool any_rule = spec.behavior().has_scale_up() || spec.behavior().has_scale_down();
  if (!any_rule) return;  // the controller applies its own then
  k8s::HPAScalingRules& up = *spec.mutable_behavior()->mutable_scale_up();
  if (!up.has_stabilization_window_seconds()) up.set_stabilization_window_seconds(0);
  if (!up.has_select_policy()) up.set_select_policy("Max");
  if (up.policies().empty()) {
    add_policy(up, "Pods", 4);
    add_policy(up, "Percent", 100);
  }
  k8s::HPAScalingRules& down = *spec.mutable_behavior()->mutable_scale_down();
  if (!down.has_select_policy()) down.set_select_policy("Max");
  if (down.policies().empty()) add_policy(down, "Percent", 100);
}

void fill(k8s::PriorityClass& priority) {  // scheduling/v1 SetDefaults_PriorityClass
  if (!priority.has_preemption_policy()) priority.set_preemption_policy("PreemptLowerPriority");
}

void fill(k8s::StorageClass& storage) {  // storage/v1 SetDefaults_StorageClass
  if (!storage.has_reclaim_policy()) storage.set_reclaim_policy("Delete");
  if (!storage.has_volume_binding_mode()) storage.set_volume_binding_mode("Immediate");
}

void fill(k8s::Namespace& name_space) {  // core/v1 SetDefaults_Namespace
  k8s::ObjectMeta& meta = *name_space.mutable_metadata();
  set_label(*meta.mutable_labels(), "kubernetes.io/metadata.name", meta.name());
}

void fill(karpenter::NodePool& pool) {  // karpenter.sh_nodepools.yaml
  karpenter::Disruption& disruption = *pool.mutable_spec()->mutable_disruption();
  if (!disruption.has_consolidation_policy()) {
    disruption.set_consolidation_policy("WhenEmptyOrUnderutilized");
  }
  if (!disruption.has_consolidate_after()) disruption.set_consolidate_after("0s");
  if (disruption.budgets().empty()) disruption.add_budgets()->set_nodes("10%");
  auto& claim = *pool.mutable_spec()->mutable_template_()->mutable_spec();
  if (!claim.has_expire_after()) claim.set_expire_after("720h");
}

void fill(karpenter::NodeClaim& claim) {  // karpenter.sh_nodeclaims.yaml
  if (!claim.spec().has_expire_after()) claim.mutable_spec()->set_expire_after("720h");
}

void fill(lws::LeaderWorkerSet& set) {  // leaderworkerset_webhook.go Default
  lws::LeaderWorkerSetSpec& spec = *set.mutable_spec();
  if (!spec.has_replicas()) spec.set_replicas(1);
  if (!spec.has_startup_policy()) spec.set_startup_policy("LeaderCreated");
  lws::LeaderWorkerTemplate& group = *spec.mutable_leader_worker_template();
  if (!group.has_size()) group.set_size(1);
  if (!group.has_restart_policy() || group.restart_policy() == "Default") {
    group.set_restart_policy("RecreateGroupOnPodRestart");
  }
  if (group.has_leader_template()) {
    default_pod_spec(*group.mutable_leader_template()->mutable_spec());
  }
  default_pod_spec(*group.mutable_worker_template()->mutable_spec());
  lws::RolloutStrategy& rollout = *spec.mutable_rollout_strategy();
  if (!rollout.has_type()) rollout.set_type("RollingUpdate");
  auto& rolling = *rollout.mutable_rolling_update_configuration();
  if (!rolling.has_partition()) rolling.set_partition(0);
  if (!rolling.has_max_unavailable()) rolling.set_max_unavailable("1");
  if (!rolling.has_max_surge()) rolling.set_max_surge("0");
  auto& network = *spec.mutable_network_config();
  if (!network.has_subdomain_policy()) network.set_subdomain_policy("Shared");
}

/// Fills the object in if it is a T.
template <class T>
bool fill_as(google::protobuf::Message& object) {
  if (object.GetDescriptor() != T::descriptor()) return false;
  fill(static_cast<T&>(object));
  return true;
}

template <class... Kinds>
void fill_any(google::protobuf::Message& object) {
  static_cast<void>((fill_as<Kinds>(object) || ...));
}

}  // namespace

void apply_defaults(google::protobuf::Message& object) {
  fill_any<k8s::Pod, k8s::Deployment, k8s::ReplicaSet, k8s::StatefulSet, k8s::DaemonSet, k8s::Job,
           k8s::CronJob, k8s::Service, k8s::HorizontalPodAutoscaler, k8s::PriorityClass,
           k8s::StorageClass, k8s::Namespace, karpenter::NodePool, karpenter::NodeClaim,
           lws::LeaderWorkerSet>(object);
}

}  // namespace troupe::apiserver
