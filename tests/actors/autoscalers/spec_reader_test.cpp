#include "actors/autoscalers/hpa/spec_reader.h"

#include <gtest/gtest.h>

#include "actors/autoscalers/hpa/metric_queries.h"
#include "actors/autoscalers/hpa/status_writer.h"
#include "tests/actors/autoscalers/hpa_harness.h"

namespace troupe::hpa {
namespace {

using namespace harness;

TEST(SpecReader, FillsInWhatTheApiFillsIn) {
  k8s::HorizontalPodAutoscaler hpa;
  hpa.mutable_spec()->set_max_replicas(4);
  const Spec spec = spec_of(hpa, 5min);
  EXPECT_EQ(spec.min_replicas, 1);
  EXPECT_FALSE(spec.behavior);
  ASSERT_EQ(spec.metrics.size(), 1u);
  EXPECT_EQ(spec.metrics[0].name, "cpu");
  EXPECT_EQ(spec.metrics[0].target.average_utilization, 80);
}

TEST(SpecReader, AnEmptyBehaviorIsTheDefaultBehavior) {
  k8s::HorizontalPodAutoscaler hpa;
  hpa.mutable_spec()->mutable_behavior();
  const Spec spec = spec_of(hpa, 3min);
  ASSERT_TRUE(spec.behavior);
  EXPECT_EQ(spec.behavior->up.stabilization, 0s);
  EXPECT_EQ(spec.behavior->up.policies.size(), 2u);
  EXPECT_EQ(spec.behavior->down.stabilization, 3min);
  ASSERT_EQ(spec.behavior->down.policies.size(), 1u);
  EXPECT_EQ(spec.behavior->down.policies[0].value, 100);
}

TEST(SpecReader, GivenPoliciesReplaceTheDefaultsAndTheRestStays) {
  k8s::HorizontalPodAutoscaler hpa;
  auto* up = hpa.mutable_spec()->mutable_behavior()->mutable_scale_up();
  auto* policy = up->add_policies();
  policy->set_type("Percent");
  policy->set_value(10);
  policy->set_period_seconds(60);
  up->set_select_policy("Min");
  up->set_tolerance("50m");
  const ScalingRules rules = spec_of(hpa, 5min).behavior->up;
  ASSERT_EQ(rules.policies.size(), 1u);
  EXPECT_EQ(rules.policies[0].type, ScalingPolicy::Type::Percent);
  EXPECT_EQ(rules.policies[0].period, 60s);
  EXPECT_EQ(rules.select, SelectPolicy::Min);
  EXPECT_EQ(rules.stabilization, 0s);
  EXPECT_EQ(rules.tolerance, 0.05);
}

TEST(SpecReader, QuantitiesBecomeThousandths) {
  k8s::HorizontalPodAutoscaler hpa;
  auto* metric = hpa.mutable_spec()->add_metrics();
  metric->set_type("External");
  metric->mutable_external()->mutable_metric()->set_name("queue");
  metric->mutable_external()->mutable_target()->set_average_value("2500m");
  EXPECT_EQ(spec_of(hpa, 5min).metrics[0].target.average_value, 2500);
}

TEST(SpecReader, AnObjectMetricSaysByTypeWhichTargetCounts) {
  k8s::HorizontalPodAutoscaler hpa;
  auto* object = hpa.mutable_spec()->add_metrics();
  object->set_type("Object");
  object->mutable_object()->mutable_described_object()->set_kind("Service");
  object->mutable_object()->mutable_described_object()->set_name("chat");
  object->mutable_object()->mutable_target()->set_type("Value");
  object->mutable_object()->mutable_target()->set_value("30");
  object->mutable_object()->mutable_target()->set_average_value("10");
  const MetricSpec metric = spec_of(hpa, 5min).metrics[0];
  EXPECT_EQ(metric.object_kind, "Service");
  EXPECT_EQ(metric.target.value, 30'000);
  EXPECT_FALSE(metric.target.average_value);
}

TEST(SpecReader, PodsKeepWhatTheirSamplesAreJudgedBy) {
  k8s::Pod pod;
  pod.mutable_metadata()->set_name("p");
  pod.mutable_metadata()->set_deletion_timestamp(5);
  pod.mutable_status()->set_phase("Running");
  pod.mutable_status()->set_start_time(1'000);
  auto* ready = pod.mutable_status()->add_conditions();
  ready->set_type("Ready");
  ready->set_status("False");
  ready->set_last_transition_time(2'000);
  auto* container = pod.mutable_spec()->add_containers();
  container->set_name("main");
  auto* cpu = container->mutable_resources()->add_requests();
  cpu->set_name("cpu");
  cpu->set_quantity("1500m");
  auto* sidecar = pod.mutable_spec()->add_init_containers();
  sidecar->set_name("sidecar");
  sidecar->set_restart_policy("Always");
  pod.mutable_spec()->add_init_containers()->set_name("once");
  const PodState state = pod_state_of(pod);
  EXPECT_TRUE(state.deleting);
  EXPECT_EQ(state.phase, PodPhase::Running);
  EXPECT_EQ(state.ready, Readiness::False);
  EXPECT_EQ(state.ready_transition, from_ns(2'000));
  EXPECT_EQ(state.start_time, from_ns(1'000));
  ASSERT_EQ(state.containers.size(), 2u);  // an init container that ends asks for nothing
  EXPECT_EQ(state.containers[0].milli.at("cpu"), 1500);
  EXPECT_EQ(state.containers[1].name, "sidecar");
  EXPECT_FALSE(state.pod_requests);
}

TEST(MetricQueries, EachSourceGoesToItsOwnApi) {
  k8s::HorizontalPodAutoscaler hpa;
  hpa.mutable_metadata()->set_namespace_("prod");
  auto* external = hpa.mutable_spec()->add_metrics();
  external->set_type("External");
  external->mutable_external()->mutable_metric()->set_name("queue");
  auto* label =
      external->mutable_external()->mutable_metric()->mutable_selector()->add_match_labels();
  label->set_key("service");
  label->set_value("chat");
  auto* cpu = hpa.mutable_spec()->add_metrics();
  cpu->set_type("ContainerResource");
  cpu->mutable_container_resource()->set_name("cpu");
  cpu->mutable_container_resource()->set_container("engine");
  const Spec spec = spec_of(hpa, 5min);
  LabelRequirements pods;
  pods.Add()->set_key("app");

  const auto first = query_for(spec, hpa, 0, pods);
  EXPECT_EQ(first.source(), telemetry::MetricsQuery::EXTERNAL);
  EXPECT_EQ(first.metric_selector(0).key(), "service");
  EXPECT_EQ(first.pod_selector_size(), 0);
  const auto second = query_for(spec, hpa, 1, pods);
  EXPECT_EQ(second.source(), telemetry::MetricsQuery::POD_RESOURCE);
  EXPECT_EQ(second.container(), "engine");
  EXPECT_EQ(second.pod_selector(0).key(), "app");
}

TEST(MetricQueries, AnAnswerWithoutValuesIsAnError) {
  telemetry::MetricsReply empty;
  empty.set_code(200);
  EXPECT_EQ(reading_of(SourceType::Pods, empty).error,
            "no metrics returned from custom metrics API");
  EXPECT_EQ(reading_of(SourceType::External, empty).error,
            "no metrics returned from external metrics API");
  empty.set_code(404);
  empty.set_message("no such metric");
  EXPECT_EQ(reading_of(SourceType::Resource, empty).error, "no such metric");
}

TEST(StatusWriter, AFailedSyncKeepsItsLastWish) {
  k8s::HorizontalPodAutoscaler hpa;
  hpa.mutable_status()->set_desired_replicas(7);
  Decision decision;
  decision.current = 5;
  decision.desired = 5;
  decision.metrics_failed = true;
  const auto status = status_after(hpa, decision, {}, std::nullopt);
  EXPECT_EQ(status.current_replicas(), 5);
  EXPECT_EQ(status.desired_replicas(), 7);
  EXPECT_FALSE(status.has_last_scale_time());
}

TEST(StatusWriter, UtilizationShowsBesideTheMean) {
  k8s::HorizontalPodAutoscaler hpa;
  auto* metric = hpa.mutable_spec()->add_metrics();
  metric->set_type("Resource");
  metric->mutable_resource()->set_name("cpu");
  Decision decision;
  decision.rescale = true;
  decision.current = 2;
  decision.desired = 3;
  decision.metrics = {{0, 150, false, 75}};
  const auto status = status_after(hpa, decision, {}, at(15s));
  EXPECT_EQ(status.desired_replicas(), 3);
  EXPECT_EQ(status.last_scale_time(), to_ns(at(15s)));
  EXPECT_EQ(status.current_metrics(0).resource().current().average_value(), "150m");
  EXPECT_EQ(status.current_metrics(0).resource().current().average_utilization(), 75);
}

}  // namespace
}  // namespace troupe::hpa
