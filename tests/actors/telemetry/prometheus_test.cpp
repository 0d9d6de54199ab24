#include "actors/telemetry/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/telemetry/telemetry_host.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"
#include "tests/actors/telemetry/telemetry_harness.h"
#include "tests/support/api_stub.h"

namespace troupe::telemetry {
namespace {

using namespace harness;
using ::testing::IsEmpty;
using troupe::testing::ApiStub;
using troupe::testing::FakeContext;

// Prometheus with engines that answer scrapes with whatever `waiting` says, or do not.
class Scraping : public ::testing::Test {
 protected:
  Scraping() {
    api.other = [this](Actor& to, const FakeContext::Sent& sent) { answer(to, sent); };
  }

  void start(const std::vector<std::string>& pods) {
    for (const std::string& pod : pods) api.put(running_pod(pod));
    actor.start(context);
    api.serve(actor);
  }
  void run(Duration span) { api.run(actor, span); }

  /// Milli-values by pod, or the code of the answer.
  [[nodiscard]] std::map<std::string, std::int64_t> query(const std::string& metric) {
    MetricsQuery question = pods_query(metric);
    *question.add_pod_selector() = requirement("app", "In", {"chat"});
    actor.receive(context, context.deliver(Payload::of(question), "controller/hpa/0"));
    const Payload payload = context.last_sent<MetricsReply>();
    std::map<std::string, std::int64_t> values;
    for (const MetricValue& value : payload.as<MetricsReply>()->values()) {
      values[value.pod()] = value.milli();
    }
    return values;
  }
  [[nodiscard]] static Duration offset_of(const std::string& path) {
    return Duration(static_cast<std::int64_t>(hash_bytes(path) % 15'000'000'000ULL));
  }

  FakeContext context{"telemetry/0/prometheus"};
  ApiStub api{context};
  PrometheusActor actor{{}};
  std::map<std::string, double> waiting;  // by path
  std::set<std::string> silent;
  std::set<std::string> refusing;
  std::vector<std::pair<std::string, SimTime>> scrapes;

 private:
  void answer(Actor& to, const FakeContext::Sent& sent) {
    const auto* request = sent.what.as<ScrapeRequest>();
    if (request == nullptr) return;
    for (const auto& path : {"node/n/pod/a", "node/n/pod/b", "node/g/dcgm-exporter"}) {
      if (address_of(path).actor != sent.to.actor) continue;
      scrapes.emplace_back(path, context.now());
      if (silent.contains(path)) return;
      if (refusing.contains(path)) {
        to.receive(context,
                   context.deliver(Payload::of(runtime::ConnectionRefused{}, {sent.what}), path));
        return;
      }
      const auto samples = std::vector{sample("vllm:num_requests_waiting", waiting[path])};
      to.receive(context,
                 context.deliver(Payload::of(scrape_of(samples, request->request_id())), path));
    }
  }
};

TEST_F(Scraping, EachTargetIsScrapedOnceAnIntervalAtItsOwnOffset) {
  start({"a", "b"});
  run(30s);
  ASSERT_EQ(scrapes.size(), 4u);
  for (const auto& [path, when] : scrapes) {
    EXPECT_EQ((when - kTimeZero) % Duration(15s), offset_of(path)) << path;
  }
  EXPECT_NE(offset_of("node/n/pod/a"), offset_of("node/n/pod/b"));
}

TEST_F(Scraping, AQuerySeesTheLastScrapeAndNotThePresent) {
  waiting = {{"node/n/pod/a", 5}, {"node/n/pod/b", 7}};
  start({"a", "b"});
  EXPECT_THAT(query("num_requests_waiting"), IsEmpty());
  run(15s);
  EXPECT_EQ(query("num_requests_waiting"),
            (std::map<std::string, std::int64_t>{{"a", 5'000}, {"b", 7'000}}));
  waiting["node/n/pod/a"] = 50;
  EXPECT_EQ(query("num_requests_waiting").at("a"), 5'000);
  run(15s);
  EXPECT_EQ(query("num_requests_waiting").at("a"), 50'000);
}

TEST_F(Scraping, ALostScrapeMakesAPodMissingUntilTheNext) {
  waiting = {{"node/n/pod/a", 5}, {"node/n/pod/b", 7}};
  start({"a", "b"});
  run(15s);
  silent.insert("node/n/pod/a");
  run(15s + 10s);  // asked, and waited for ten seconds
  EXPECT_EQ(query("num_requests_waiting"), (std::map<std::string, std::int64_t>{{"b", 7'000}}));
  silent.clear();
  run(15s);
  EXPECT_EQ(query("num_requests_waiting").size(), 2u);
}

TEST_F(Scraping, AGapEndsTheSeriesOfTheTargetsThatItNames) {
  waiting = {{"node/n/pod/a", 5}, {"node/n/pod/b", 7}};
  start({"a", "b"});
  run(15s);
  fault::DisturbScrapes gap;
  gap.set_id(1);
  gap.set_target("node/*/pod/a");
  actor.receive(context, context.deliver(Payload::of(gap), ""));
  run(15s);
  EXPECT_EQ(query("num_requests_waiting"), (std::map<std::string, std::int64_t>{{"b", 7'000}}));
  gap.set_heal(true);
  actor.receive(context, context.deliver(Payload::of(gap), ""));
  run(15s);
  EXPECT_EQ(query("num_requests_waiting").size(), 2u);
}

TEST_F(Scraping, AFrozenExporterRepeatsWhatItSaidFirst) {
  waiting = {{"node/n/pod/a", 5}};
  start({"a"});
  fault::DisturbScrapes freeze;
  freeze.set_id(1);
  freeze.set_freeze(true);
  actor.receive(context, context.deliver(Payload::of(freeze), ""));
  run(15s);
  waiting["node/n/pod/a"] = 50;
  run(30s);
  EXPECT_EQ(query("num_requests_waiting").at("a"), 5'000);
  freeze.set_heal(true);
  actor.receive(context, context.deliver(Payload::of(freeze), ""));
  run(15s);
  EXPECT_EQ(query("num_requests_waiting").at("a"), 50'000);
}

TEST_F(Scraping, ARefusedConnectionIsKnownAtOnce) {
  waiting = {{"node/n/pod/a", 5}};
  start({"a"});
  run(15s);
  refusing.insert("node/n/pod/a");
  run(15s);
  EXPECT_THAT(query("num_requests_waiting"), IsEmpty());
}

TEST_F(Scraping, APodThatGoesTakesItsSeriesAlong) {
  waiting = {{"node/n/pod/a", 5}};
  start({"a"});
  run(15s);
  api.remove<k8s::Pod>("prod/a");
  api.put(running_pod("b"));
  api.serve(actor);
  EXPECT_THAT(query("num_requests_waiting"), IsEmpty());
  scrapes.clear();
  run(15s);
  ASSERT_EQ(scrapes.size(), 1u);
  EXPECT_EQ(scrapes[0].first, "node/n/pod/b");
}

TEST_F(Scraping, APodWithoutMetricsIsLeftAlone) {
  refusing.insert("node/n/pod/a");
  start({"a"});
  run(2min);
  EXPECT_EQ(scrapes.size(), 3u);
}

TEST_F(Scraping, NodesWithGpusAreScrapedToo) {
  api.put(gpu_node("g"));
  start({});
  run(15s);
  ASSERT_EQ(scrapes.size(), 1u);
  EXPECT_EQ(scrapes[0].first, "node/g/dcgm-exporter");
}

TEST_F(Scraping, ResourceMetricsAreNotItsBusiness) {
  start({});
  MetricsQuery question = pods_query("cpu");
  question.set_source(MetricsQuery::POD_RESOURCE);
  actor.receive(context, context.deliver(Payload::of(question), "controller/hpa/0"));
  EXPECT_EQ(context.last_sent<MetricsReply>().as<MetricsReply>()->code(), 404);
}

TEST(TelemetryHost, StartsWhatItsConfigurationNames) {
  hosts::TelemetryConfig config;
  FakeContext context("telemetry/0");
  make_telemetry_host(Payload::of(runtime::HostStart{}, {Payload::of(config)}))->start(context);
  ASSERT_EQ(context.spawned.size(), 1u);
  EXPECT_EQ(context.spawned[0].path, "telemetry/0/prometheus");

  config.set_resource_period_ns(15'000'000'000);
  FakeContext both("telemetry/0");
  make_telemetry_host(Payload::of(runtime::HostStart{}, {Payload::of(config)}))->start(both);
  ASSERT_EQ(both.spawned.size(), 2u);
  EXPECT_EQ(both.spawned[1].path, "telemetry/0/metrics-server");
}

}  // namespace
}  // namespace troupe::telemetry
