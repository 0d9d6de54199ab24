#include "emulator/config/control_plane_plan.h"

#include "emulator/config/election_plan.h"
#include "emulator/config/host_plan.h"
#include "emulator/config/instance_catalogue.h"
#include "emulator/config/values.h"
#include "messages/telemetry.pb.h"

namespace troupe::config {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kProfileDefault = "1.35";

hosts::ControllerClient client(double qps, std::uint32_t burst) {
  hosts::ControllerClient config;
  config.set_qps(qps);
  config.set_burst(burst);
  config.set_api_servers(1);
  return config;
}

// controller/NAME/0 and on, all alike.
template <class Config>
void add_replicas(plan::RunPlan& plan, const std::string& kind, std::uint32_t replicas,
                  const Config& config, const std::vector<Payload>& more) {
  for (std::uint32_t i = 0; i < replicas; ++i) {
    add_host(plan, "controller/" + kind + "/" + std::to_string(i), kind, config, more);
  }
}

std::vector<Payload> attached(const std::optional<hosts::LeaderElection>& election) {
  if (!election) return {};
  return {Payload::of(*election)};
}

std::string profile_of(const Inputs& inputs) {
  const std::string& profile = inputs.scenario.controllers().kubernetes().profile();
  return profile.empty() ? kProfileDefault : profile;
}

void plan_controller_manager(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  const Kubernetes& kubernetes = inputs.scenario.controllers().kubernetes();
  hosts::WorkloadControllersConfig workloads;
  *workloads.mutable_client() =
      client(20, 30);  // kube-controller-manager's --kube-api-qps and -burst
  workloads.set_workers(kubernetes.concurrent_syncs() == 0 ? 5 : kubernetes.concurrent_syncs());
  hosts::NodeLifecycleConfig nodes;
  *nodes.mutable_client() = client(20, 30);
  // --node-monitor-grace-period: 40 s to 1.31, 50 s since 1.32.
  const Duration grace = profile_of(inputs) == "1.31" ? seconds(40) : seconds(50);
  nodes.set_grace_ns(duration_or(kubernetes.node_monitor_grace_period(), grace).count());
  nodes.set_monitor_period_ns(Duration(seconds(5)).count());
  const ControllerManager& manager = kubernetes.controller_manager();
  std::vector<Payload> more = {Payload::of(std::move(nodes))};
  for (Payload& one : attached(election_of(manager, {.lease = "kube-controller-manager"},
                                           "controllers.kubernetes.controllerManager", problems))) {
    more.push_back(std::move(one));
  }
  add_replicas(plan, "kube-controller-manager", replicas_of(manager), workloads, more);
}

void plan_kube_scheduler(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  const KubeScheduler& spec = inputs.scenario.controllers().kube_scheduler();
  if (spec.has_enabled() && !spec.enabled()) return;
  hosts::KubeSchedulerConfig config;
  *config.mutable_client() =
      client(spec.has_qps() ? spec.qps() : 50, spec.has_burst() ? spec.burst() : 100);
  config.set_scheduler_name(spec.scheduler_name().empty() ? "default-scheduler"
                                                          : spec.scheduler_name());
  config.set_scoring(spec.scoring_strategy().empty() ? "LeastAllocated" : spec.scoring_strategy());
  for (const auto& weight : spec.resources()) {
    auto& added = *config.add_resources();
    added.set_name(weight.name());
    added.set_weight(weight.weight());
  }
  if (spec.resources().empty()) {
    for (const char* name : {"cpu", "memory"}) {
      auto& added = *config.add_resources();
      added.set_name(name);
      added.set_weight(1);
    }
  }
  config.set_percentage_of_nodes_to_score(spec.percentage_of_nodes_to_score());
  config.set_pop_from_backoff(profile_of(inputs) != "1.31");  // on since 1.33
  // scheduler_perf runs of 5,000 nodes schedule some 300 pods a second: about 3 ms a pod, of which
  // a part grows with the nodes that are looked at.
  config.set_cost_per_node_ns(Duration(microseconds(1)).count());
  config.set_cost_per_pod_ns(Duration(milliseconds(1)).count());
  config.set_write_events(true);
  const auto election = election_of(spec, {.lease = "kube-scheduler", .release_on_cancel = true},
                                    "controllers.kubeScheduler", problems);
  if (election) *config.mutable_election() = *election;
  add_replicas(plan, "kube-scheduler", replicas_of(spec), config, {});
}

void plan_kai(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  if (!inputs.scenario.controllers().has_kai()) return;
  const Kai& spec = inputs.scenario.controllers().kai();
  const std::string name = spec.scheduler_name().empty() ? "kai-scheduler" : spec.scheduler_name();
  hosts::KaiConfig scheduler;
  *scheduler.mutable_client() = client(50, 300);  // KAI's --qps and --burst
  scheduler.set_scheduler_name(name);
  scheduler.set_schedule_period_ns(duration_or(spec.schedule_period(), seconds(1)).count());
  scheduler.set_staleness_grace_ns(
      duration_or(spec.default_staleness_grace_period(), seconds(60)).count());
  // A cycle over some 100 nodes and 100 pending tasks takes tens of milliseconds.
  scheduler.set_base_cost_ns(Duration(milliseconds(5)).count());
  scheduler.set_cost_per_task_ns(Duration(microseconds(200)).count());
  scheduler.set_cost_per_node_ns(Duration(microseconds(20)).count());
  scheduler.set_profile(spec.profile().empty() ? "0.13" : spec.profile());
  scheduler.set_gpu_placement(spec.gpu_placement().empty() ? "binpack" : spec.gpu_placement());
  scheduler.set_cpu_placement(spec.cpu_placement().empty() ? "binpack" : spec.cpu_placement());
  scheduler.set_write_events(true);
  hosts::KaiBinderConfig binder;
  *binder.mutable_client() = client(20, 30);
  binder.set_workers(10);
  binder.set_backoff_min_ns(Duration(seconds(1)).count());
  binder.set_backoff_max_ns(Duration(seconds(60)).count());
  binder.set_write_events(true);
  hosts::KaiPodGrouperConfig grouper;
  *grouper.mutable_client() = client(50, 300);
  grouper.set_scheduler_name(name);
  grouper.set_workers(10);
  grouper.set_backoff_min_ns(Duration(seconds(1)).count());
  grouper.set_backoff_max_ns(Duration(seconds(60)).count());
  grouper.set_queue_label("kai.scheduler/queue");
  grouper.set_default_queue("default-queue");
  grouper.set_write_events(true);
  // cmd/scheduler/app/server.go: its retry period, and a lease of the scheduler's name.
  const auto election =
      election_of(spec, {.name_space = "kai-scheduler", .lease = name, .retry_period = seconds(5)},
                  "controllers.kai", problems);
  add_replicas(plan, "kai-scheduler", replicas_of(spec), scheduler, attached(election));
  add_host(plan, "controller/kai-binder/0", "kai-binder", std::move(binder));
  add_host(plan, "controller/kai-pod-grouper/0", "kai-pod-grouper", std::move(grouper));
}

void plan_karpenter(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  if (!inputs.scenario.controllers().has_karpenter()) return;
  const Karpenter& spec = inputs.scenario.controllers().karpenter();
  if (!inputs.topology.has_cloud()) {
    problems.add("controllers.karpenter", "Karpenter needs a cloud: the topology has none");
    return;
  }
  hosts::KarpenterConfig config;
  *config.mutable_client() = client(200, 300);  // KUBE_CLIENT_QPS and KUBE_CLIENT_BURST
  config.set_batch_idle_ns(duration_or(spec.batch_idle_duration(), seconds(1)).count());
  config.set_batch_max_ns(duration_or(spec.batch_max_duration(), seconds(10)).count());
  config.set_profile(spec.profile().empty() ? "1.14" : spec.profile());
  // Karpenter's own benchmark has a floor of 100 pods a second.
  config.set_cost_per_pod_ns(Duration(milliseconds(2)).count());
  config.set_disruption(!spec.has_disruption() || spec.disruption());
  config.set_interruption_queue(spec.interruption_queue());
  for (hosts::InstanceType& type : cloud_instance_types(inputs, problems)) {
    *config.add_instance_types() = std::move(type);
  }
  // pkg/operator: LeaderElectionID and LeaderElectionReleaseOnCancel.
  const auto election =
      election_of(spec, {.lease = "karpenter-leader-election", .release_on_cancel = true},
                  "controllers.karpenter", problems);
  add_replicas(plan, "karpenter", replicas_of(spec), config, attached(election));
}

void plan_hpa(const Inputs& inputs, plan::RunPlan& plan) {
  const HorizontalPodAutoscaler& spec = inputs.scenario.controllers().hpa();
  if (spec.has_enabled() && !spec.enabled()) return;
  hosts::HpaConfig config;
  *config.mutable_client() = client(20, 30);
  config.set_sync_period_ns(duration_or(spec.sync_period(), seconds(15)).count());
  config.set_tolerance(spec.has_tolerance() ? spec.tolerance() : 0.1);
  config.set_downscale_stabilization_ns(
      duration_or(spec.downscale_stabilization(), minutes(5)).count());
  config.set_cpu_initialization_ns(
      duration_or(spec.cpu_initialization_period(), minutes(5)).count());
  config.set_initial_readiness_delay_ns(
      duration_or(spec.initial_readiness_delay(), seconds(30)).count());
  config.set_profile(profile_of(inputs));
  add_host(plan, "controller/hpa/0", "hpa", std::move(config));
}

void plan_telemetry(const Inputs& inputs, plan::RunPlan& plan) {
  const Prometheus& spec = inputs.scenario.controllers().prometheus();
  hosts::TelemetryConfig config;
  *config.mutable_client() = client(20, 30);
  config.set_scrape_period_ns(duration_or(spec.scrape_interval(), seconds(15)).count());
  config.set_resource_period_ns(duration_or(spec.resource_metrics_period(), seconds(15)).count());
  config.set_retention_ns(Duration(hours(1)).count());
  telemetry::TelemetryRules rules;
  for (const Prometheus::Rule& rule : spec.rules()) {
    telemetry::MetricRule& added = *rules.add_rules();
    added.set_metric(rule.metric());
    added.set_series(rule.series());
    if (rule.aggregation() == "average") added.set_aggregation(telemetry::MetricRule::AVERAGE);
    if (rule.aggregation() == "maximum") added.set_aggregation(telemetry::MetricRule::MAXIMUM);
    added.set_average_over_ns(duration_or(rule.average_over(), Duration::zero()).count());
    added.set_rate_over_ns(duration_or(rule.rate_over(), Duration::zero()).count());
  }
  add_host(plan, "telemetry/0", "telemetry", std::move(config), {Payload::of(std::move(rules))});
}

bool uses_autoscaling(const Inputs& inputs) {
  return any_object(inputs, [](const Payload& object) {
    return object.type_name() == "HorizontalPodAutoscaler";
  });
}

}  // namespace

void plan_api_server(const Inputs& inputs, plan::RunPlan& plan) {
  hosts::ApiServerConfig config;
  config.set_replicas(1);
  config.set_bookmark_period_ns(Duration(minutes(1)).count());
  const std::string& history = inputs.scenario.controllers().kubernetes().watch_history();
  config.set_compaction_ns(duration_or(history, minutes(5)).count());
  add_host(plan, "apiserver/0", "apiserver", std::move(config));
}

void plan_controllers(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  plan_controller_manager(inputs, plan, problems);
  plan_kube_scheduler(inputs, plan, problems);
  plan_kai(inputs, plan, problems);
  plan_karpenter(inputs, plan, problems);
  // Without an autoscaler nobody asks for a metric, and scraping would only cost time.
  if (!uses_autoscaling(inputs)) return;
  plan_hpa(inputs, plan);
  plan_telemetry(inputs, plan);
}

}  // namespace troupe::config
