// The HPA controller and Prometheus on the virtual runtime, with the real API server between them:
// numbers are late, the controller's cache is late, and what a textbook says of one sync takes
// several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/api_server/api_server_actor.h"
#include "actors/autoscalers/hpa/hpa_controller.h"
#include "actors/telemetry/scrape_reply.h"
#include "actors/telemetry/telemetry_host.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/facts.pb.h"
#include "messages/k8s/apps.pb.h"
#include "messages/runtime.pb.h"
#include "tests/actors/autoscalers/hpa_harness.h"
#include "tests/actors/autoscalers/hpa_world.h"

namespace troupe::hpa {
namespace {

using namespace harness;
using ::testing::ElementsAre;

constexpr const char* kMetric = "DCGM_FI_DEV_GPU_UTIL";

// A pod that shows one metric with one value.
class MetricPod final : public Actor {
 public:
  explicit MetricPod(double value) { sample_.set_name(kMetric), sample_.set_value(value); }
  void receive(Context& context, const Delivery& delivery) override {
    const auto* request = delivery.as<telemetry::ScrapeRequest>();
    if (request != nullptr) telemetry::reply_to_scrape(context, delivery, *request, {sample_});
  }

 private:
  telemetry::Sample sample_;
};

// Stands in for workload controllers, scheduler and kubelet: as many running, ready pods as the
// Deployment asks for.
class InstantNode final : public Actor {
 public:
  explicit InstantNode(std::map<int, double> value_of) : value_of_(std::move(value_of)) {}

  void start(Context& context) override {
    deployments_.on_add([this](Context& now, const auto& one) { follow(now, *one); });
    deployments_.on_update(
        [this](Context& now, const auto&, const auto& one) { follow(now, *one); });
    deployments_.start(context);
  }
  void receive(Context& context, const Delivery& delivery) override {
    api_.receive(context, delivery);
  }

 private:
  void follow(Context& context, const k8s::Deployment& deployment) {
    for (; pods_ < deployment.spec().replicas(); ++pods_) {
      const std::string name = "chat-" + std::to_string(pods_);
      const std::string path = "node/n/pod/" + name;
      const auto value = value_of_.find(pods_);
      context.spawn(path,
                    std::make_unique<MetricPod>(value == value_of_.end() ? 100.0 : value->second));
      k8s::Pod pod = pod_object(name, "chat");
      pod.mutable_spec()->set_node_name("n");
      pod.mutable_spec()->add_containers()->set_name("engine");
      pod.mutable_spec()->mutable_containers(0)->set_image("engine");
      api_.create(context, pod, [this, path, status = pod](Context& now, const ApiResult& result) {
        ASSERT_TRUE(result.ok()) << result.message;
        k8s::Pod running = status;
        running.mutable_status()->set_pod_ip(path);
        api_.update_status(now, std::move(running), [](Context&, const ApiResult& written) {
          ASSERT_TRUE(written.ok()) << written.message;
        });
      });
    }
  }

  std::map<int, double> value_of_;
  int pods_ = 0;
  ApiClient api_{{.qps = 0}};
  Informer<k8s::Deployment> deployments_{api_};
};

class Decisions final : public Observer {
 public:
  void on_fact(const FactRecord& record) override {
    if (const auto* decision = record.fact.as<facts::ScalingDecision>()) {
      sizes.push_back(static_cast<std::int32_t>(decision->to()));
      times.push_back(record.key.time);
    }
    if (const auto* synced = record.fact.as<facts::AutoscalerSynced>()) reason = synced->reason();
  }

  std::vector<std::int32_t> sizes;
  std::vector<SimTime> times;
  std::string reason;  // of the last sync
};

Payload start_of(const std::string& kind, const std::string& path, std::vector<Payload> with) {
  runtime::HostStart start;
  start.set_kind(kind);
  start.set_path(path);
  return Payload::of(std::move(start), std::move(with));
}

struct Outcome {
  Decisions decisions;
  Digest digest;
};

k8s::Deployment deployment() {
  k8s::Deployment chat;
  chat.mutable_metadata()->set_name("chat");
  chat.mutable_metadata()->set_namespace_("prod");
  chat.mutable_spec()->set_replicas(1);
  k8s::KeyValue* label = chat.mutable_spec()->mutable_selector()->add_match_labels();
  label->set_key("app");
  label->set_value("chat");
  *chat.mutable_spec()->mutable_template_()->mutable_metadata()->add_labels() = *label;
  k8s::Container* engine =
      chat.mutable_spec()->mutable_template_()->mutable_spec()->add_containers();
  engine->set_name("engine");
  engine->set_image("engine");
  return chat;
}

Outcome run(const std::string& target, Duration span, int max_replicas,
            const std::map<int, double>& value_of = {}) {
  k8s::HorizontalPodAutoscaler autoscaler = hpa_object("chat", kMetric, target);
  autoscaler.mutable_spec()->set_max_replicas(max_replicas);
  HostRegistry registry;
  registry.add("apiserver", apiserver::build_api_server);
  registry.add("telemetry", telemetry::make_telemetry_host);
  registry.add("hpa", make_hpa_controller);
  registry.add("node",
               [value_of](const Payload&) { return std::make_unique<InstantNode>(value_of); });
  VirtualRuntime runtime({.seed = 7}, registry);
  Outcome out;
  runtime.add_observer(out.decisions);
  hosts::ApiServerConfig api_server;
  api_server.set_replicas(1);
  runtime.start_host("apiserver/0", start_of("apiserver", "apiserver/0",
                                             {Payload::of(api_server), Payload::of(deployment()),
                                              Payload::of(autoscaler)}));
  hosts::TelemetryConfig telemetry;
  telemetry.mutable_client()->set_api_servers(1);
  runtime.start_host("telemetry/0", start_of("telemetry", "telemetry/0", {Payload::of(telemetry)}));
  hosts::HpaConfig hpa;
  hpa.mutable_client()->set_api_servers(1);
  runtime.start_host("controller/hpa/0", start_of("hpa", "controller/hpa/0", {Payload::of(hpa)}));
  runtime.start_host("node/n", start_of("node", "node/n", {}));
  const auto defect = runtime.run_until(kTimeZero + span);
  EXPECT_FALSE(defect) << defect->actor << ": " << defect->what;
  out.digest = runtime.digest();
  return out;
}

TEST(HpaInCluster, H1ADutyCycleGrowsByItsTextbookPathButWaitsForEachScrape) {
  const Outcome result = run("80", 10min, 12);
  EXPECT_THAT(result.decisions.sizes, ElementsAre(2, 3, 4, 5, 7, 9, 12));
  EXPECT_EQ(result.decisions.reason, "ValidMetricFound");
  // A pod that was not scraped yet counts as idle, which holds the next step back: never two steps
  // in one scrape interval.
  for (std::size_t i = 1; i < result.decisions.times.size(); ++i) {
    EXPECT_GE(result.decisions.times[i] - result.decisions.times[i - 1], 14s);
  }
}

TEST(HpaInCluster, H1ItRestsWhereTheMeanIsInsideTheDeadBand) {
  // Ten streams, one a replica: replicas 10 and 11 are idle. 10 x 100 / 12 = 83.3.
  const Outcome result = run("80", 10min, 100, {{10, 0.0}, {11, 0.0}});
  EXPECT_THAT(result.decisions.sizes, ElementsAre(2, 3, 4, 5, 7, 9, 12));
}

TEST(HpaInCluster, H2ATargetOf95IsDead) {
  const Outcome result = run("95", 10min, 100);
  EXPECT_THAT(result.decisions.sizes, ElementsAre());
  EXPECT_EQ(result.decisions.reason, "ValidMetricFound");
}

TEST(HpaInCluster, TheSameSeedGivesTheSameDigest) {
  EXPECT_EQ(run("80", 3min, 12).digest, run("80", 3min, 12).digest);
}

}  // namespace
}  // namespace troupe::hpa
