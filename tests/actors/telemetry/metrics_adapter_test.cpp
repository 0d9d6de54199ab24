#include "actors/telemetry/metrics_adapter.h"

#include <gtest/gtest.h>

#include "tests/actors/telemetry/telemetry_harness.h"

namespace troupe::telemetry {
namespace {

using namespace harness;

class Adapter : public ::testing::Test {
 protected:
  void add(const std::string& name, const LabelSet& labels, double value, Duration when = 0s) {
    store.append(*store.open(name, labels), {at(when), value, false});
  }
  static LabelSet pod_labels(const std::string& pod) {
    return LabelSet{{"namespace", "prod"}, {"pod", pod}};
  }
  // As the DCGM exporter's series look once Prometheus has attached its own labels.
  static LabelSet gpu_labels(const std::string& pod, const std::string& gpu) {
    return LabelSet{{"exported_namespace", "prod"},
                    {"exported_pod", pod},
                    {"gpu", gpu},
                    {"namespace", "gpu-operator"},
                    {"pod", "nvidia-dcgm-exporter-n"}};
  }
  [[nodiscard]] MetricsReply ask(const std::string& metric,
                                 const std::vector<std::string>& pods = {"a", "b"}) const {
    return MetricsAdapter(store, rules).for_pods(pods_query(metric), pods, at(1s));
  }

  SeriesStore store{10min};
  std::vector<MetricRule> rules;
};

TEST_F(Adapter, AnswersOneValueForEachPodThatHasASeries) {
  add("x", pod_labels("a"), 12.5);
  add("x", pod_labels("b"), 3);
  add("x", pod_labels("other"), 99);
  const MetricsReply reply = ask("x");
  ASSERT_EQ(reply.values_size(), 2);
  EXPECT_EQ(reply.values(0).pod(), "a");
  EXPECT_EQ(reply.values(0).milli(), 12'500);
  EXPECT_EQ(reply.values(1).pod(), "b");
  EXPECT_EQ(reply.values(1).milli(), 3'000);
}

TEST_F(Adapter, LeavesOutPodsWithoutASeries) {
  add("x", pod_labels("a"), 1);
  ASSERT_EQ(ask("x").values_size(), 1);
  EXPECT_EQ(ask("x").code(), 200);
}

TEST_F(Adapter, PodsOfOtherNamespacesDoNotCount) {
  add("x", LabelSet{{"namespace", "test"}, {"pod", "a"}}, 1);
  EXPECT_EQ(ask("x").values_size(), 0);
}

TEST_F(Adapter, H7AMetricThatNobodyShowsIsNotFound) {
  add("vllm:kv_cache_usage_perc", pod_labels("a"), 0.5);
  const MetricsReply reply = ask("gpu_cache_usage_perc");  // renamed by a later release
  EXPECT_EQ(reply.code(), 404);
  EXPECT_EQ(reply.message(), "the server could not find the metric gpu_cache_usage_perc for pods");
  EXPECT_EQ(reply.values_size(), 0);
}

TEST_F(Adapter, FindsAnExportersSeriesWithoutItsPrefixOrColon) {
  add("vllm:num_requests_waiting", pod_labels("a"), 7);
  EXPECT_EQ(ask("vllm:num_requests_waiting").values(0).milli(), 7'000);
  EXPECT_EQ(ask("vllm_num_requests_waiting").values(0).milli(), 7'000);
  EXPECT_EQ(ask("num_requests_waiting").values(0).milli(), 7'000);
}

TEST_F(Adapter, DutyCyclesOfAPodsGpusAreAveragedAndMemoryIsSummed) {
  add("DCGM_FI_DEV_GPU_UTIL", gpu_labels("a", "0"), 100);
  add("DCGM_FI_DEV_GPU_UTIL", gpu_labels("a", "1"), 50);
  add("DCGM_FI_DEV_FB_USED", gpu_labels("a", "0"), 70'000);
  add("DCGM_FI_DEV_FB_USED", gpu_labels("a", "1"), 70'000);
  EXPECT_EQ(ask("DCGM_FI_DEV_GPU_UTIL").values(0).milli(), 75'000);
  EXPECT_EQ(ask("DCGM_FI_DEV_FB_USED").values(0).milli(), 140'000'000);
}

TEST_F(Adapter, ACounterIsReadAsARate) {
  add("vllm:generation_tokens_total", pod_labels("a"), 1000, 0s);
  add("vllm:generation_tokens_total", pod_labels("a"), 4000, 60s);
  const MetricsReply reply =
      MetricsAdapter(store, {}).for_pods(pods_query("vllm_generation_tokens"), {"a"}, at(60s));
  ASSERT_EQ(reply.values_size(), 1);
  EXPECT_EQ(reply.values(0).milli(), 50'000);  // 3000 tokens in 60 s
  EXPECT_EQ(reply.values(0).window_ns(), Duration(5min).count());
}

TEST_F(Adapter, ARuleOfTheConfigurationComesFirst) {
  MetricRule rule;
  rule.set_metric("x");
  rule.set_series("y");
  rule.set_aggregation(MetricRule::MAXIMUM);
  rules.push_back(rule);
  add("x", pod_labels("a"), 1);
  add("y", LabelSet{{"namespace", "prod"}, {"pod", "a"}, {"engine", "0"}}, 4);
  add("y", LabelSet{{"namespace", "prod"}, {"pod", "a"}, {"engine", "1"}}, 9);
  EXPECT_EQ(ask("x").values(0).milli(), 9'000);
}

TEST_F(Adapter, SelectsSeriesByTheirLabels) {
  add("x", LabelSet{{"model", "llama"}, {"namespace", "prod"}, {"pod", "a"}}, 4);
  add("x", LabelSet{{"model", "qwen"}, {"namespace", "prod"}, {"pod", "a"}}, 9);
  MetricsQuery query = pods_query("x");
  *query.add_metric_selector() = requirement("model", "In", {"qwen"});
  const MetricsReply reply = MetricsAdapter(store, {}).for_pods(query, {"a"}, at(1s));
  EXPECT_EQ(reply.values(0).milli(), 9'000);
}

TEST_F(Adapter, AnObjectsMetricIsThatOfItsOwnSeries) {
  add("queue", LabelSet{{"namespace", "prod"}, {"service", "chat"}}, 40);
  add("queue", LabelSet{{"namespace", "prod"}, {"service", "other"}}, 7);
  MetricsQuery query = pods_query("queue");
  query.set_object_kind("Service");
  query.set_object_name("chat");
  EXPECT_EQ(MetricsAdapter(store, {}).for_object(query, at(1s)).values(0).milli(), 40'000);
  query.set_object_name("nobody");
  EXPECT_EQ(MetricsAdapter(store, {}).for_object(query, at(1s)).code(), 404);
}

TEST_F(Adapter, AnExternalMetricIsTheSumOfItsSeries) {
  add("queue", LabelSet{{"model", "llama"}}, 40);
  add("queue", LabelSet{{"model", "llama"}, {"namespace", "prod"}}, 5);
  add("queue", LabelSet{{"model", "llama"}, {"namespace", "test"}}, 100);  // another's namespace
  add("queue", LabelSet{{"model", "qwen"}}, 1000);
  MetricsQuery query = pods_query("queue");
  *query.add_metric_selector() = requirement("model", "In", {"llama"});
  const MetricsReply reply = MetricsAdapter(store, {}).external(query, at(1s));
  ASSERT_EQ(reply.values_size(), 1);
  EXPECT_EQ(reply.values(0).milli(), 45'000);
}

TEST_F(Adapter, AnExternalMetricWithoutSeriesHasNoValue) {
  EXPECT_EQ(MetricsAdapter(store, {}).external(pods_query("queue"), at(1s)).values_size(), 0);
}

TEST_F(Adapter, StaleSeriesHaveNoValue) {
  add("x", pod_labels("a"), 1);
  EXPECT_EQ(MetricsAdapter(store, {}).for_pods(pods_query("x"), {"a"}, at(5min)).values_size(), 0);
}

TEST_F(Adapter, ThousandthsAreCutOff) {
  add("x", pod_labels("a"), 0.0009);
  add("x", pod_labels("b"), 2.9999);
  EXPECT_EQ(ask("x").values(0).milli(), 0);
  EXPECT_EQ(ask("x").values(1).milli(), 2'999);
}

}  // namespace
}  // namespace troupe::telemetry
