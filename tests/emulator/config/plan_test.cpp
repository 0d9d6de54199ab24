// What a scenario resolves to: hosts with their configurations, faults, gangs, the seed.
#include <gmock/gmock.h>

#include "messages/hosts.pb.h"
#include "messages/serving.pb.h"
#include "tests/emulator/config/scenario_files.h"

namespace troupe::config {
namespace {

using testing::ElementsAre;

class PlanTest : public ScenarioFiles {};

constexpr const char* kService =
    "---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n";
constexpr const char* kTraffic =
    "traffic:\n  - name: users\n    service: web\n    generator:\n      arrivals: {rate: 3/s}\n"
    "      promptTokens: {constant: 8}\n      outputTokens: {constant: 8}\n";

TEST_F(PlanTest, TheSmallestScenarioHasAControlPlaneAndItsNodes) {
  scenario("");
  const plan::RunPlan plan = this->plan();
  EXPECT_THAT(hosts_of(plan), ElementsAre("apiserver/0", "controller/kube-controller-manager/0",
                                          "controller/kube-scheduler/0", "node/a"));
  EXPECT_EQ(plan.seed(), 1u);
  EXPECT_EQ(plan.duration_ns(), 60'000'000'000);
  EXPECT_EQ(plan.slo().target_share_ppm(), 990'000);
}

TEST_F(PlanTest, TrafficBringsARouterAndALoadAndManifestsADirector) {
  scenario(std::string(kTraffic) + kService);
  EXPECT_THAT(hosts_of(plan()),
              ElementsAre("apiserver/0", "controller/kube-controller-manager/0",
                          "controller/kube-scheduler/0", "node/a", "controller/director/0",
                          "router/default.web", "load/users"));
}

TEST_F(PlanTest, AnAutoscalerBringsHpaAndTelemetry) {
  scenario(
      "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec:\n"
      "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}\n  maxReplicas: 3\n"
      "  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
      "averageUtilization: 80}}}]\n");
  const plan::RunPlan plan = this->plan();
  const auto hpa = config_of<hosts::HpaConfig>(plan, "controller/hpa/0");
  EXPECT_EQ(hpa.sync_period_ns(), 15'000'000'000);
  EXPECT_EQ(hpa.tolerance(), 0.1);
  EXPECT_EQ(hpa.downscale_stabilization_ns(), 300'000'000'000);
  EXPECT_EQ(hpa.profile(), "1.35");
  EXPECT_EQ(config_of<hosts::TelemetryConfig>(plan, "telemetry/0").scrape_period_ns(),
            15'000'000'000);
}

TEST_F(PlanTest, AnAutoscalerThatAStepBringsFindsItsController) {
  scenario(
      "steps:\n  - at: 5s\n    apply:\n      apiVersion: autoscaling/v2\n"
      "      kind: HorizontalPodAutoscaler\n      metadata: {name: h}\n      spec:\n"
      "        scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}\n"
      "        maxReplicas: 3\n");
  EXPECT_THAT(hosts_of(plan()), testing::Contains("controller/hpa/0"));
}

TEST_F(PlanTest, ProfilesCarryTheDefaultsThatDrifted) {
  scenario("");
  constexpr const char* kManager = "controller/kube-controller-manager/0";
  EXPECT_EQ(config_of<hosts::NodeLifecycleConfig>(plan(), kManager).grace_ns(), 50'000'000'000);
  EXPECT_TRUE(config_of<hosts::KubeSchedulerConfig>(plan(), "controller/kube-scheduler/0")
                  .pop_from_backoff());
  scenario("controllers: {kubernetes: {profile: \"1.31\"}}\n");
  EXPECT_EQ(config_of<hosts::NodeLifecycleConfig>(plan(), kManager).grace_ns(), 40'000'000'000);
  EXPECT_FALSE(config_of<hosts::KubeSchedulerConfig>(plan(), "controller/kube-scheduler/0")
                   .pop_from_backoff());
}

TEST_F(PlanTest, OptionsReachTheirControllers) {
  scenario(
      "controllers:\n  kubeScheduler: {schedulerName: mine, scoringStrategy: MostAllocated, "
      "clientQPS: 7, burst: 9}\n  kai: {schedulePeriod: 2s, gpuPlacement: spread}\n");
  const plan::RunPlan plan = this->plan();
  const auto scheduler = config_of<hosts::KubeSchedulerConfig>(plan, "controller/kube-scheduler/0");
  EXPECT_EQ(scheduler.scheduler_name(), "mine");
  EXPECT_EQ(scheduler.scoring(), "MostAllocated");
  EXPECT_EQ(scheduler.client().qps(), 7);
  EXPECT_EQ(scheduler.client().burst(), 9u);
  const auto kai = config_of<hosts::KaiConfig>(plan, "controller/kai-scheduler/0");
  EXPECT_EQ(kai.schedule_period_ns(), 2'000'000'000);
  EXPECT_EQ(kai.scheduler_name(), "kai-scheduler");
  EXPECT_EQ(kai.gpu_placement(), "spread");
  EXPECT_EQ(kai.cpu_placement(), "binpack");
}

TEST_F(PlanTest, ANodeTakesFromItsTypeWhatItDoesNotSay) {
  topology("nodes:\n  - {name: gpu, count: 2, instanceType: p5.48xlarge, zone: z, gpus: 4}\n");
  scenario("");
  const plan::RunPlan plan = this->plan();
  EXPECT_EQ(hosts_of(plan).back(), "node/gpu-1");
  const auto node = config_of<hosts::NodeConfig>(plan, "node/gpu-0");
  EXPECT_EQ(node.cpu_milli(), 192'000);
  EXPECT_EQ(node.gpus(), 4u);
  EXPECT_EQ(node.gpu_model(), "H100");
  EXPECT_EQ(node.zone(), "z");
  EXPECT_EQ(node.price_micro_usd_per_hour(), 55'040'000);
  EXPECT_EQ(node.pods(), 737u);  // what its network cards have addresses for
}

TEST_F(PlanTest, FaultsHitTheirTargetsAtTheirTimes) {
  topology("nodes:\n  - {name: a, cpu: \"8\", memory: 32Gi, gpus: 1, gpuModel: H100}\n");
  scenario(
      "faults:\n  - {at: 5s, crash: {host: node/a, restartAfter: 2s}}\n"
      "  - {at: 9s, gpu: {node: a, gpu: 0, repairAfter: 10s}}\n");
  const plan::RunPlan plan = this->plan();
  ASSERT_EQ(plan.faults_size(), 3);
  EXPECT_EQ(plan.faults(0).kind(), "crash");
  EXPECT_EQ(plan.faults(0).target(), "node/a");
  EXPECT_EQ(plan.faults(0).at_ns(), 5'000'000'000);
  EXPECT_EQ(plan.faults(0).restart_after_ns(), 2'000'000'000);
  EXPECT_EQ(plan.faults(1).target(), "node/a/gpu/0");
  EXPECT_EQ(plan.faults(2).kind(), "gpu");
  EXPECT_TRUE(plan.faults(2).heals());
  EXPECT_EQ(plan.faults(2).at_ns(), 19'000'000'000);
}

TEST_F(PlanTest, WhatIsWrongWithTheTopologyStandsAtItsOwnLine) {
  topology(
      "nodes:\n  - {name: a, cpu: \"8\", memory: 32Gi}\n  - {name: b, cpu: \"0\", memory: 1Gi}\n");
  scenario("");
  const LoadedScenario loaded = load();
  ASSERT_EQ(loaded.diagnostics.size(), 1u);
  EXPECT_EQ(loaded.diagnostics[0].file, (folder_ / "topology.yaml").string());
  EXPECT_EQ(loaded.diagnostics[0].line, 5);
  EXPECT_EQ(loaded.diagnostics[0].path, "nodes[1].cpu");
}

TEST_F(PlanTest, AFieldThatNoSummaryHasIsASlip) {
  const auto expect = [this](const std::string& field) {
    scenario("expect:\n  - {select: summary, field: " + field + ", op: ==, value: 1}\n");
    const LoadedScenario loaded = load();
    return loaded.ok() ? "" : loaded.diagnostics.at(0).message;
  };
  EXPECT_EQ(expect("gpu_minutes.stranded"), "");
  EXPECT_EQ(expect("autoscalers.hpa/default/web.peak"), "");  // a name of the run
  EXPECT_EQ(expect("\"expectations[0].pass\""), "") << "a place in a list";
  EXPECT_EQ(expect("gpu_minuts.stranded"),
            "no summary has 'gpu_minuts': docs/spec/run-directory.md lists its keys");
  EXPECT_EQ(expect("requests.lost"),
            "no summary has 'lost': docs/spec/run-directory.md lists its keys");
}

TEST_F(PlanTest, NothingStandsBesideViolates) {
  scenario("expect:\n  - {violates: bound-once, select: summary}\n");
  EXPECT_EQ(load().diagnostics.at(0).message, "expected nothing but a `name` beside `violates`");
}

}  // namespace
}  // namespace troupe::config
