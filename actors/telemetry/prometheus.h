// Prometheus with its adapter, at `telemetry/0/prometheus`: scrapes at an interval, keeps the
// recent past, answers the custom and external metrics APIs.
//
// A number is late three times over: by the exporter's own period, by up to one scrape interval,
// and by the query. Each target is scraped at its own offset within the interval, a hash of its
// address, as Prometheus spreads its load; a query sees whatever scrapes came before it. A crash
// loses the past (a real one would replay its log).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/api_client/informer.h"
#include "actors/context.h"
#include "actors/telemetry/metrics_adapter.h"
#include "actors/telemetry/scrape_faults.h"
#include "actors/telemetry/scrape_recorder.h"
#include "actors/telemetry/scrape_targets.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::telemetry {

struct PrometheusOptions {
  ApiClientOptions client;
  /// How often each target is scraped. 15 s is what vLLM's monitoring example sets (Prometheus
  /// itself: one minute).
  Duration interval = std::chrono::seconds(15);
  /// Prometheus, scrape_timeout; never longer than the interval.
  Duration timeout = std::chrono::seconds(10);
  Duration retention = std::chrono::minutes(15);
  TelemetryRules rules;
};

class PrometheusActor final : public Actor {
 public:
  explicit PrometheusActor(PrometheusOptions options);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  struct Scrape {
    std::string target;
    std::uint64_t turn = 0;  ///< its request id: which interval of the run it belongs to
    SimTime began{};
    TimerId deadline = 0;
  };

  void watch(Context& context);
  void apply(Context& context, const TargetChange& change);
  void schedule(Context& context, const std::string& target);
  void scrape(Context& context, const std::string& target);
  void take(Context& context, const Address& from, const ScrapeReply& reply);
  void fail(Context& context, const Address& target, std::uint64_t turn);
  [[nodiscard]] std::optional<Scrape> end(Context& context, const Address& target,
                                          std::uint64_t turn);
  void answer(Context& context, const Delivery& delivery, const MetricsQuery& query);
  [[nodiscard]] MetricsReply evaluate(const MetricsQuery& query, SimTime now) const;

  PrometheusOptions options_;
  SeriesStore store_;
  ScrapeRecorder recorder_;
  MetricsAdapter adapter_;
  ScrapeTargets targets_;
  ApiClient api_;
  Informer<k8s::Pod> pods_;
  Informer<k8s::Node> nodes_;
  std::map<std::uint64_t, Scrape> scrapes_;  // under way, by actor: one at most for each target
  std::map<std::string, TimerId> due_;       // by target
  ScrapeFaults faults_;
};

}  // namespace troupe::telemetry
