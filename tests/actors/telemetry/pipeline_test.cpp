// From a GPU's counters to the answer that an HPA gets, over the real exporter and the real
// Prometheus: how late a duty cycle is.
#include <gtest/gtest.h>

#include "actors/telemetry/dcgm_exporter.h"
#include "actors/telemetry/prometheus.h"
#include "tests/actors/telemetry/telemetry_harness.h"
#include "tests/support/api_stub.h"

namespace troupe::telemetry {
namespace {

using namespace harness;
using troupe::testing::ApiStub;
using troupe::testing::FakeContext;

// One GPU that is idle until `busy_from` and then always busy, held by pod prod/a.
class Pipeline : public ::testing::Test {
 protected:
  Pipeline() {
    exporter_context.fixed_random = 0;
    api.other = [this](Actor&, const FakeContext::Sent& sent) { scrape(sent); };
    api.put(running_pod("a", false));
    api.put(gpu_node("g", "1"));
    exporter.start(exporter_context);
    prometheus.start(context);
    api.serve(prometheus);
  }

  /// Both clocks run; whoever is due first acts first.
  void run_until(SimTime end) {
    while (context.now() < end) {
      const SimTime next = exporter_context.timers.front().due;
      const SimTime until = std::min(next, end);
      api.run(prometheus, until - context.now());
      if (until == next) collect();
    }
  }
  [[nodiscard]] std::optional<std::int64_t> duty_cycle() {
    MetricsQuery query = pods_query("DCGM_FI_DEV_GPU_UTIL");
    *query.add_pod_selector() = requirement("app", "In", {"chat"});
    prometheus.receive(context, context.deliver(Payload::of(query), "controller/hpa/0"));
    const Payload payload = context.last_sent<MetricsReply>();
    const auto* reply = payload.as<MetricsReply>();
    if (reply->values_size() == 0) return std::nullopt;
    return reply->values(0).milli() / 1000;
  }

  FakeContext context{"telemetry/0/prometheus"};
  FakeContext exporter_context{"node/g/dcgm-exporter"};
  ApiStub api{context};
  DcgmExporterActor exporter{{.node = "g", .gpus = 1}};
  PrometheusActor prometheus{{}};
  SimTime busy_from = at(100s);

 private:
  void collect() {
    const auto timer = exporter_context.next_timer();
    exporter.receive(exporter_context, *timer);
    const SimTime now = exporter_context.now();
    GpuSample gpu;
    gpu.set_request_id(exporter_context.sent_of<GpuSampleRequest>().back()->request_id());
    gpu.set_busy_ns(std::max(Duration::zero(), now - busy_from).count());
    gpu.set_memory_total_mib(81'559);
    gpu.set_healthy(true);
    GpuHolder* holder = gpu.add_holders();
    holder->set_namespace_("prod");
    holder->set_pod("a");
    holder->set_container("engine");
    exporter.receive(exporter_context, exporter_context.deliver(Payload::of(gpu), "node/g/gpu/0"));
  }
  void scrape(const FakeContext::Sent& sent) {
    if (sent.what.as<ScrapeRequest>() == nullptr) return;
    if (sent.to.actor != address_of("node/g/dcgm-exporter").actor) return;
    exporter.receive(exporter_context, exporter_context.deliver(sent.what, context.path()));
    const Payload reply = exporter_context.last_sent<ScrapeReply>();
    prometheus.receive(context, context.deliver(reply, "node/g/dcgm-exporter"));
  }
};

TEST_F(Pipeline, ADutyCycleCarriesTheNameOfThePodThatHoldsTheGpu) {
  run_until(at(90s));
  EXPECT_EQ(duty_cycle(), 0);  // found under the pod's own name, though the exporter was scraped
}

TEST_F(Pipeline, AFullGpuShowsAfterACollectionAndAScrape) {
  // Busy from 100 s on. Collections at 0, 30, ..., 120 (20 of 30 s busy: 67), 150 (100).
  run_until(at(120s));
  EXPECT_EQ(duty_cycle(), 0);
  run_until(at(120s + 15s));  // every target has been scraped once more
  EXPECT_EQ(duty_cycle(), 67);
  run_until(at(150s));
  EXPECT_EQ(duty_cycle(), 67);
  run_until(at(150s + 15s));
  EXPECT_EQ(duty_cycle(), 100);  // up to 65 s after the load came
}

}  // namespace
}  // namespace troupe::telemetry
