// The host `telemetry/0`: its root starts Prometheus and, unless the configuration switches it off,
// metrics-server.
#pragma once

#include <memory>

#include "actors/actor.h"
#include "actors/context.h"
#include "messages/hosts.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

class TelemetryHostActor final : public Actor {
 public:
  TelemetryHostActor(hosts::TelemetryConfig config, TelemetryRules rules);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  hosts::TelemetryConfig config_;
  TelemetryRules rules_;
};

/// The builder of the host kind "telemetry": attachment 0 of HostStart is a hosts::TelemetryConfig,
/// attachment 1, if there is one, TelemetryRules.
[[nodiscard]] std::unique_ptr<Actor> make_telemetry_host(const Payload& host_start);

}  // namespace troupe::telemetry
