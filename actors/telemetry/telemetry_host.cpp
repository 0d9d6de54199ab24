#include "actors/telemetry/telemetry_host.h"

#include "actors/telemetry/metrics_server.h"
#include "actors/telemetry/prometheus.h"
#include "messages/assert.h"

namespace troupe::telemetry {

TelemetryHostActor::TelemetryHostActor(hosts::TelemetryConfig config, TelemetryRules rules)
    : config_(std::move(config)), rules_(std::move(rules)) {}

void TelemetryHostActor::start(Context& context) {
  PrometheusOptions options;
  options.client = ApiClientOptions::of(config_.client());
  if (config_.scrape_period_ns() > 0) options.interval = Duration{config_.scrape_period_ns()};
  if (config_.retention_ns() > 0) options.retention = Duration{config_.retention_ns()};
  options.rules = rules_;
  context.spawn(context.path() + "/prometheus", std::make_unique<PrometheusActor>(options));
  if (config_.resource_period_ns() > 0) {
    MetricsServerOptions server;
    server.client = options.client;
    server.resolution = Duration{config_.resource_period_ns()};
    context.spawn(context.path() + "/metrics-server", std::make_unique<MetricsServerActor>(server));
  }
}

void TelemetryHostActor::receive(Context&, const Delivery&) {}

std::unique_ptr<Actor> make_telemetry_host(const Payload& host_start) {
  const auto& attachments = host_start.attachments();
  TROUPE_ASSERT(!attachments.empty() && attachments[0].as<hosts::TelemetryConfig>() != nullptr,
                "a telemetry host begins from a TelemetryConfig");
  TelemetryRules rules;
  if (attachments.size() > 1 && attachments[1].as<TelemetryRules>() != nullptr) {
    rules = *attachments[1].as<TelemetryRules>();
  }
  return std::make_unique<TelemetryHostActor>(*attachments[0].as<hosts::TelemetryConfig>(), rules);
}

}  // namespace troupe::telemetry
