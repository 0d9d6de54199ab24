#include "actors/autoscalers/hpa/hpa_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actors/autoscalers/hpa_harness.h"
#include "tests/actors/autoscalers/hpa_world.h"

namespace troupe::hpa {
namespace {

using namespace harness;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(HpaController, ScalesItsTargetOneSyncPeriodAfterItBegins) {
  HpaWorld world;
  world.deploy("chat", 2);
  world.milli_of_pod = {{"chat-0", 20'000}, {"chat-1", 20'000}};
  world.run(14s);
  EXPECT_TRUE(world.queries.empty());
  world.run(2s);
  // A mean of 20 against 10: ceil(2 x 2) = 4.
  EXPECT_EQ(world.replicas("chat"), 4);
  EXPECT_EQ(world.condition("chat", "AbleToScale"), "True/SucceededRescale");
  EXPECT_EQ(world.condition("chat", "ScalingActive"), "True/ValidMetricFound");
  EXPECT_EQ(world.condition("chat", "ScalingLimited"), "False/DesiredWithinRange");
  EXPECT_THAT(world.event_reasons(), ElementsAre("SuccessfulRescale"));

  const auto decisions = world.context.facts_of<facts::ScalingDecision>();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0]->autoscaler(), "hpa/prod/chat");
  EXPECT_EQ(decisions[0]->target(), "Deployment/prod/chat");
  EXPECT_EQ(decisions[0]->from(), 2);
  EXPECT_EQ(decisions[0]->to(), 4);
  EXPECT_EQ(decisions[0]->signal(), "waiting=20 target=10");
}

TEST(HpaController, AsksForTheTargetsPodsInItsNamespace) {
  HpaWorld world;
  world.deploy("chat", 1);
  world.run(16s);
  ASSERT_EQ(world.queries.size(), 1u);
  EXPECT_EQ(world.queries[0].source(), telemetry::MetricsQuery::PODS);
  EXPECT_EQ(world.queries[0].namespace_(), "prod");
  EXPECT_EQ(world.queries[0].metric(), "waiting");
  EXPECT_EQ(world.queries[0].pod_selector(0).key(), "app");
  EXPECT_EQ(world.queries[0].pod_selector(0).operator_(), "In");
}

TEST(HpaController, ShowsTheCurrentMetricAndTheTimeOfTheLastScaling) {
  HpaWorld world;
  world.deploy("chat", 2);
  world.milli_of_pod = {{"chat-0", 20'000}, {"chat-1", 5'500}};
  world.run(16s);
  const auto hpa = world.api.get<k8s::HorizontalPodAutoscaler>("prod/chat");
  // (20 + 5.5) / 2 = 12.75 -> ceil(1.275 x 2) = 3.
  EXPECT_EQ(hpa->status().current_replicas(), 2);
  EXPECT_EQ(hpa->status().desired_replicas(), 3);
  ASSERT_EQ(hpa->status().current_metrics_size(), 1);
  EXPECT_EQ(hpa->status().current_metrics(0).pods().current().average_value(), "12750m");
  EXPECT_GE(hpa->status().last_scale_time(), to_ns(at(15s)));
  EXPECT_LT(hpa->status().last_scale_time(), to_ns(at(16s)));
}

TEST(HpaController, WritesNothingBeforeTheDecisionHasTakenItsTime) {
  HpaWorld world;
  world.deploy("chat", 1);
  world.milli_of_pod = {{"chat-0", 50'000}};
  world.run(15s);  // the sync has begun; its decision is on its way
  ASSERT_EQ(world.queries.size(), 1u);
  EXPECT_EQ(world.replicas("chat"), 1);
  const auto decision =
      std::find_if(world.context.timers.begin(), world.context.timers.end(), [](const auto& timer) {
        return timer.what.template as<autoscalers::HpaDecided>() != nullptr;
      });
  ASSERT_NE(decision, world.context.timers.end());
  EXPECT_EQ(decision->what.as<autoscalers::HpaDecided>()->desired(), 5);
  world.run(1ms);
  EXPECT_EQ(world.replicas("chat"), 5);
}

TEST(HpaController, SyncsItsHpasInOrderOfTheirNames) {
  HpaWorld world;
  for (const char* name : {"gamma", "alpha", "beta"}) world.deploy(name, 1);
  world.run(16s);
  std::vector<std::string> order;
  for (const auto& query : world.queries) order.push_back(query.pod_selector(0).values(0));
  EXPECT_THAT(order, ElementsAre("alpha", "beta", "gamma"));
}

TEST(HpaController, MetricsThatNeverAnswerFreezeTheTarget) {
  HpaWorld world;
  world.deploy("chat", 3);
  world.milli_of_pod = {{"chat-0", 0}};
  world.silent = true;
  world.run(15s + 61s);
  EXPECT_EQ(world.replicas("chat"), 3);
  EXPECT_EQ(world.condition("chat", "ScalingActive"), "False/FailedGetPodsMetric");
  EXPECT_THAT(world.event_reasons(), Contains("FailedComputeMetricsReplicas"));
}

TEST(HpaController, AMetricsApiThatIsDownFreezesTheTargetAtOnce) {
  HpaWorld world;
  world.deploy("chat", 3);
  world.refused = true;
  world.run(16s);
  EXPECT_EQ(world.replicas("chat"), 3);
  EXPECT_EQ(world.condition("chat", "ScalingActive"), "False/FailedGetPodsMetric");
}

TEST(HpaController, H7AMetricWithoutValuesIsNoZero) {
  HpaWorld world;
  world.deploy("chat", 3);
  world.run(16s + 10min);
  EXPECT_EQ(world.replicas("chat"), 3);
  EXPECT_EQ(world.condition("chat", "ScalingActive"), "False/FailedGetPodsMetric");
}

TEST(HpaController, ARefusedScaleWriteShowsAndIsTriedAtTheNextSync) {
  HpaWorld world;
  world.deploy("chat", 1);
  world.milli_of_pod = {{"chat-0", 20'000}};
  world.api.refuse = [](const api::ApiRequest& request) -> std::optional<int> {
    const bool write = request.subresource() == "scale" && request.verb() == api::UPDATE;
    return write ? std::optional(409) : std::nullopt;
  };
  world.run(16s);
  EXPECT_EQ(world.replicas("chat"), 1);
  EXPECT_EQ(world.condition("chat", "AbleToScale"), "False/FailedUpdateScale");
  EXPECT_THAT(world.event_reasons(), Contains("FailedRescale"));
  EXPECT_TRUE(world.context.facts_of<facts::ScalingDecision>().empty());
  world.api.refuse = nullptr;
  world.run(15s);
  EXPECT_EQ(world.replicas("chat"), 2);
}

TEST(HpaController, ATargetThatIsNotThereShows) {
  HpaWorld world;
  world.api.put(hpa_object("ghost", "waiting", "10"));
  world.run(16s);
  EXPECT_EQ(world.condition("ghost", "AbleToScale"), "False/FailedGetScale");
  EXPECT_TRUE(world.queries.empty());
}

TEST(HpaController, ARestartForgetsTheScaleDownWindow) {
  // kubernetes#68826, #79158: history lives in the controller's memory.
  HpaWorld world;
  world.deploy("chat", 4);
  world.milli_of_pod = {
      {"chat-0", 10'000}, {"chat-1", 10'000}, {"chat-2", 10'000}, {"chat-3", 10'000}};
  world.run(16s);
  for (auto& [pod, milli] : world.milli_of_pod) milli = 0;
  world.run(60s);
  EXPECT_EQ(world.replicas("chat"), 4);  // the window holds
  world.restart();
  world.run(300s);
  EXPECT_EQ(world.replicas("chat"), 4);  // a new window began with what the first sync found
  world.run(30s);
  EXPECT_EQ(world.replicas("chat"), 1);
}

TEST(HpaController, TwoHpasOnOneTargetBothStop) {
  HpaWorld world;
  world.deploy("chat", 2);
  k8s::HorizontalPodAutoscaler second = hpa_object("chat", "waiting", "5");
  second.mutable_metadata()->set_name("chat-too");
  world.api.put(second);
  world.milli_of_pod = {{"chat-0", 20'000}, {"chat-1", 20'000}};
  world.run(31s);
  EXPECT_EQ(world.condition("chat-too", "ScalingActive"), "False/AmbiguousSelector");
  EXPECT_EQ(world.condition("chat", "ScalingActive"), "False/AmbiguousSelector");
}

TEST(HpaController, ADeletedHpaIsLeftAlone) {
  HpaWorld world;
  world.deploy("chat", 2);
  world.milli_of_pod = {{"chat-0", 20'000}, {"chat-1", 20'000}};
  world.api.remove<k8s::HorizontalPodAutoscaler>("prod/chat");
  world.run(60s);
  EXPECT_TRUE(world.queries.empty());
  EXPECT_EQ(world.replicas("chat"), 2);
}

TEST(HpaController, AnUnchangedStatusIsNotWrittenAgain) {
  HpaWorld world;
  world.deploy("chat", 1);
  world.milli_of_pod = {{"chat-0", 10'000}};
  world.run(31s);
  const std::size_t writes = world.api.writes.size();
  world.run(60s);
  EXPECT_EQ(world.api.writes.size(), writes);
  EXPECT_EQ(world.queries.size(), 6u);  // at 15, 30, ... 90 s
}

TEST(HpaController, ConfigurationReplacesTheDefaults) {
  hosts::HpaConfig config;
  config.set_sync_period_ns(5'000'000'000);
  config.set_tolerance(0.5);
  config.set_profile("1.35");
  const ControllerOptions options = ControllerOptions::of(config);
  EXPECT_EQ(options.sync_period, 5s);
  EXPECT_EQ(options.rules.tolerance, 0.5);
  EXPECT_EQ(options.rules.downscale_stabilization, 5min);
  EXPECT_EQ(options.rules.profile, Profile::Kubernetes135);
}

}  // namespace
}  // namespace troupe::hpa
