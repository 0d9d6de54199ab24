// How long a replica loads, and what it shows to a scrape.
#include <map>

#include <gtest/gtest.h>

#include "actors/serving/endpoint_picker.h"
#include "actors/serving/load_plan.h"
#include "actors/serving/vllm_metrics.h"
#include "messages/hash.h"
#include "tests/actors/serving/engine_cases.h"
#include "tests/actors/serving/serving_cases.h"

namespace troupe::serving {
namespace {

using namespace std::chrono_literals;

std::uint64_t bits(std::string_view purpose, std::uint64_t index) {
  return mix(hash_bytes(purpose), index);
}

TEST(LoadPlan, TakesWeightsOverBandwidthThenTheStagesInOrder) {
  const auto steps = plan_load(testing::small_workload(), testing::small_placement(), bits);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].duration, 10s);
  EXPECT_EQ(steps[1].duration, 1s);
}

TEST(LoadPlan, TakesTheNodesDiskWhereTheWorkloadNamesNoSource) {
  ServingWorkload workload = testing::small_workload();
  workload.mutable_load()->clear_weights_bytes_per_second();
  ReplicaPlacement placement = testing::small_placement();
  placement.set_disk_bytes_per_second(2'000'000'000);
  EXPECT_EQ(plan_load(workload, placement, bits)[0].duration, 5s);
}

TEST(LoadPlan, HasVllmsOwnStagesByDefaultAndDrawsAnewAfterARestart) {
  ServingWorkload workload = testing::small_workload();
  workload.mutable_load()->clear_stages();
  ReplicaPlacement placement = testing::small_placement();
  const auto first = plan_load(workload, placement, bits);
  ASSERT_EQ(first.size(), 4u);
  placement.set_container_restarts(1);
  const auto second = plan_load(workload, placement, bits);
  EXPECT_NE(first[1].duration, second[1].duration);
  EXPECT_EQ(plan_load(workload, placement, bits)[1].duration, second[1].duration);
}

TEST(VllmMetrics, WritesBoundsAsPrometheusPythonClientDoes) {
  EXPECT_EQ(bound_text(1'000'000), "0.001");
  EXPECT_EQ(bound_text(2'500'000'000), "2.5");
  EXPECT_EQ(bound_text(160'000'000'000), "160.0");
}

TEST(VllmMetrics, ShowGaugesCountersAndCumulativeBuckets) {
  EngineConfig config = testing::steady_engine();
  config.limits.max_num_seqs = 1;
  Engine engine(config);
  ASSERT_TRUE(engine.submit(kTimeZero, testing::request_of(1, 100, 3)));
  ASSERT_TRUE(engine.submit(kTimeZero, testing::request_of(2, 100, 1000)));
  ASSERT_TRUE(engine.submit(kTimeZero, testing::request_of(3, 100, 10)));
  testing::run_until(engine, 100 * kMs);
  engine.settle(from_ns(100 * kMs));
  std::map<std::string, double> values;
  for (const auto& sample : vllm_samples(engine, from_ns(100 * kMs), "m")) {
    std::string name = sample.name();
    for (const auto& label : sample.labels()) {
      if (label.key() == "le" || label.key() == "finished_reason") name += "/" + label.value();
    }
    values[name] = sample.value();
  }
  EXPECT_EQ(values["vllm:num_requests_running"], 1);
  EXPECT_EQ(values["vllm:num_requests_waiting"], 1);
  EXPECT_EQ(values["vllm:prompt_tokens_total"], 200);
  EXPECT_EQ(values["vllm:request_success_total/length"], 1);
  EXPECT_EQ(values["vllm:time_to_first_token_seconds_bucket/0.005"], 0);
  EXPECT_EQ(values["vllm:time_to_first_token_seconds_bucket/0.01"], 1);  // 10 ms
  EXPECT_EQ(values["vllm:time_to_first_token_seconds_bucket/+Inf"], 2);
  EXPECT_EQ(values["vllm:time_to_first_token_seconds_count"], 2);
  EXPECT_DOUBLE_EQ(values["vllm:time_to_first_token_seconds_sum"], 0.05);  // 10 and 40 ms
  EXPECT_EQ(values["vllm:cache_config_info"], 1);
}

TEST(EndpointPicker, PicksNobodyWhenAllWereTried) {
  EndpointPicker picker(RoutingPolicy::RoundRobin);
  EXPECT_FALSE(picker.pick({}).has_value());
  picker.set_ready({"a", "b"});
  EXPECT_EQ(picker.pick({"a"}), "b");
  EXPECT_FALSE(picker.pick({"a", "b"}).has_value());
}

TEST(EndpointPicker, KnowsItsPoliciesByName) {
  EXPECT_EQ(routing_policy("least-request"), RoutingPolicy::LeastRequest);
  EXPECT_EQ(routing_policy("round-robin"), RoutingPolicy::RoundRobin);
  EXPECT_FALSE(routing_policy("random").has_value());
}

}  // namespace
}  // namespace troupe::serving
