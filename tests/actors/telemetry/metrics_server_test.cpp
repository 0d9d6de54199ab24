#include "actors/telemetry/metrics_server.h"

#include <gtest/gtest.h>

#include "actors/telemetry/node_agents.h"
#include "actors/telemetry/node_summary.h"
#include "tests/actors/telemetry/telemetry_harness.h"
#include "tests/support/api_stub.h"

namespace troupe::telemetry {
namespace {

using namespace harness;
using troupe::testing::ApiStub;
using troupe::testing::FakeContext;

ContainerUsage usage_of(const std::string& pod, const std::string& container, Duration cpu,
                        std::int64_t memory = 1'000'000) {
  ContainerUsage usage;
  usage.set_namespace_("prod");
  usage.set_pod(pod);
  usage.set_container(container);
  usage.set_cpu_core_ns(cpu.count());
  usage.set_memory_working_set_bytes(memory);
  return usage;
}

NodeSummaryReply summary_at(Duration collected, std::vector<ContainerUsage> containers) {
  NodeSummaryReply summary;
  summary.set_collected_ns(collected.count());
  for (ContainerUsage& usage : containers) *summary.add_containers() = std::move(usage);
  return summary;
}

TEST(ResourceUsage, CpuIsTheRateBetweenTheLastTwoLooks) {
  ResourceUsage usage;
  usage.store("n", summary_at(10s, {usage_of("a", "main", 4s)}));
  EXPECT_FALSE(usage.usage({"prod", "a"}, "cpu", ""));
  usage.store("n", summary_at(20s, {usage_of("a", "main", 4s + 15s)}));
  const auto cpu = usage.usage({"prod", "a"}, "cpu", "");
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->milli(), 1'500);  // 15 core-seconds in 10 s
  EXPECT_EQ(cpu->window_ns(), Duration(10s).count());
  EXPECT_EQ(cpu->timestamp_ns(), Duration(20s).count());
  EXPECT_EQ(usage.usage({"prod", "a"}, "memory", "")->milli(), 1'000'000'000);
}

TEST(ResourceUsage, FiguresThatWereNotRenewedChangeNothing) {
  ResourceUsage usage;
  usage.store("n", summary_at(10s, {usage_of("a", "main", 0s)}));
  usage.store("n", summary_at(20s, {usage_of("a", "main", 5s)}));
  usage.store("n", summary_at(20s, {usage_of("a", "main", 5s)}));
  EXPECT_EQ(usage.usage({"prod", "a"}, "cpu", "")->milli(), 500);
}

TEST(ResourceUsage, APodIsTheSumOfItsContainersAndNeedsThemAll) {
  ResourceUsage usage;
  usage.store("n", summary_at(10s, {usage_of("a", "main", 0s)}));
  usage.store("n", summary_at(20s, {usage_of("a", "main", 5s), usage_of("a", "sidecar", 0s)}));
  EXPECT_FALSE(usage.usage({"prod", "a"}, "cpu", ""));
  usage.store("n", summary_at(30s, {usage_of("a", "main", 10s), usage_of("a", "sidecar", 1s)}));
  EXPECT_EQ(usage.usage({"prod", "a"}, "cpu", "")->milli(), 600);
  EXPECT_EQ(usage.usage({"prod", "a"}, "cpu", "sidecar")->milli(), 100);
}

TEST(ResourceUsage, ARestartedContainerBeginsAgain) {
  ResourceUsage usage;
  usage.store("n", summary_at(10s, {usage_of("a", "main", 100s)}));
  ContainerUsage again = usage_of("a", "main", 1s);
  again.set_started_ns(Duration(15s).count());
  usage.store("n", summary_at(20s, {again}));
  EXPECT_FALSE(usage.usage({"prod", "a"}, "cpu", ""));
}

TEST(ResourceUsage, APodThatItsNodeNoLongerShowsIsForgotten) {
  ResourceUsage usage;
  usage.store("n", summary_at(10s, {usage_of("a", "main", 0s)}));
  usage.store("n", summary_at(20s, {usage_of("a", "main", 1s)}));
  usage.store("n", summary_at(30s, {}));
  EXPECT_FALSE(usage.usage({"prod", "a"}, "cpu", ""));
}

TEST(ResourceUsage, APodThatMovedIsNotForgottenWithItsOldNode) {
  ResourceUsage usage;
  usage.store("old", summary_at(10s, {usage_of("a", "main", 0s)}));
  usage.store("new", summary_at(11s, {usage_of("a", "main", 0s)}));
  usage.store("new", summary_at(21s, {usage_of("a", "main", 1s)}));
  usage.forget_node("old");
  EXPECT_TRUE(usage.usage({"prod", "a"}, "cpu", ""));
}

TEST(NodeSummary, ShowsItsLastLookAndStopsLookingWhenNobodyAsks) {
  FakeContext context("node/n/summary");
  NodeSummaryActor actor("node/n");
  const auto ask = [&] {
    NodeSummaryRequest request;
    request.set_request_id(3);
    actor.receive(context, context.deliver(Payload::of(request), "telemetry/0/metrics-server"));
    return context.last_sent<NodeSummaryReply>();
  };
  EXPECT_EQ(ask().as<NodeSummaryReply>()->containers_size(), 0);  // it begins to look now
  ASSERT_EQ(context.sent_of<ContainerUsageRequest>().size(), 1u);
  ContainerUsageReply reply;
  *reply.add_containers() = usage_of("a", "main", 1s);
  actor.receive(context, context.deliver(Payload::of(reply), "node/n"));
  context.advance(5s);
  const Payload answer = ask();
  EXPECT_EQ(answer.as<NodeSummaryReply>()->containers_size(), 1);
  EXPECT_EQ(answer.as<NodeSummaryReply>()->collected_ns(), 0);
  context.run_timers(actor, 10min);
  EXPECT_TRUE(context.timers.empty());
  EXPECT_EQ(context.sent_of<ContainerUsageRequest>().size(), 7u);  // at 0, 10, ... 60 s
}

class Server : public ::testing::Test {
 protected:
  Server() {
    api.other = [this](Actor& to, const FakeContext::Sent& sent) { answer(to, sent); };
    api.put(gpu_node("n"));
    api.put(running_pod("a"));
    actor.start(context);
    api.serve(actor);
  }
  void run(Duration span) { api.run(actor, span); }
  [[nodiscard]] Payload query() {
    MetricsQuery question = pods_query("cpu");
    question.set_source(MetricsQuery::POD_RESOURCE);
    *question.add_pod_selector() = requirement("app", "In", {"chat"});
    actor.receive(context, context.deliver(Payload::of(question), "controller/hpa/0"));
    return context.last_sent<MetricsReply>();
  }

  FakeContext context{"telemetry/0/metrics-server"};
  ApiStub api{context};
  MetricsServerActor actor{{}};
  bool silent = false;

 private:
  void answer(Actor& to, const FakeContext::Sent& sent) {
    const auto* request = sent.what.as<NodeSummaryRequest>();
    if (request == nullptr || silent) return;
    EXPECT_EQ(sent.to.actor, address_of("node/n/summary").actor);
    // Half a core since time zero.
    const Duration now = context.now() - kTimeZero;
    NodeSummaryReply summary = summary_at(now, {usage_of("a", "main", now / 2)});
    summary.set_request_id(request->request_id());
    to.receive(context, context.deliver(Payload::of(summary), "node/n/summary"));
  }
};

TEST_F(Server, ANewPodHasFiguresAfterTwoRounds) {
  run(16s);
  EXPECT_EQ(query().as<MetricsReply>()->values_size(), 0);
  run(15s);
  const Payload payload = query();
  ASSERT_EQ(payload.as<MetricsReply>()->values_size(), 1);
  EXPECT_EQ(payload.as<MetricsReply>()->values(0).pod(), "a");
  EXPECT_EQ(payload.as<MetricsReply>()->values(0).milli(), 500);
}

TEST_F(Server, ANodeThatDoesNotAnswerTakesItsPodsFiguresAlong) {
  run(31s);
  silent = true;
  run(15s + 8s);
  EXPECT_EQ(query().as<MetricsReply>()->values_size(), 1);  // the round still waits
  run(1s);
  EXPECT_EQ(query().as<MetricsReply>()->values_size(), 0);
}

TEST(TelemetryAgents, RunTheExporterWhereItIsWantedAndHasGpus) {
  hosts::NodeConfig node;
  node.set_name("n");
  node.set_gpus(8);
  EXPECT_EQ(TelemetryAgents().make(node).size(), 1u);
  node.set_dcgm_exporter(true);
  const auto agents = TelemetryAgents().make(node);
  ASSERT_EQ(agents.size(), 2u);
  EXPECT_EQ(agents[0].name, "summary");
  EXPECT_EQ(agents[1].name, "dcgm-exporter");
  node.set_gpus(0);
  EXPECT_EQ(TelemetryAgents().make(node).size(), 1u);
}

}  // namespace
}  // namespace troupe::telemetry
