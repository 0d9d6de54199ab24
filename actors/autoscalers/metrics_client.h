// How an autoscaler asks the metrics APIs: each query ends in exactly one call of its callback,
// with an answer or with the reason why there is none.
//
// In life a query goes through the API server's aggregation layer to metrics-server or to an
// adapter; here it goes to that one directly, over a link of class `scrape`, which may lose it.
// Nothing is asked again: the next sync asks anew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "actors/actor.h"
#include "actors/context.h"
#include "messages/telemetry.pb.h"

namespace troupe::autoscalers {

/// Called once with the end of a query: code 200, 404 (no such metric), 503 (nobody there) or 504
/// (no answer in time).
using MetricsCallback = std::function<void(Context&, const telemetry::MetricsReply&)>;

class MetricsClient {
 public:
  /// kube-apiserver, --request-timeout: how long the aggregation layer waits.
  static constexpr Duration kTimeout = std::chrono::seconds(60);

  /// `telemetry` is the path of the telemetry host.
  explicit MetricsClient(std::string telemetry = "telemetry/0")
      : telemetry_(std::move(telemetry)) {}
  MetricsClient(const MetricsClient&) = delete;
  MetricsClient& operator=(const MetricsClient&) = delete;

  void query(Context& context, telemetry::MetricsQuery query, MetricsCallback done);
  /// Handles the delivery if it is this client's: replies, refusals, timers.
  bool receive(Context& context, const Delivery& delivery);

 private:
  struct Pending {
    MetricsCallback done;
    TimerId deadline = 0;
  };

  void finish(Context& context, const telemetry::MetricsReply& reply);
  void fail(Context& context, std::uint64_t request, int code, const std::string& message);

  std::string telemetry_;
  std::uint64_t last_request_ = 0;
  std::map<std::uint64_t, Pending> pending_;
};

}  // namespace troupe::autoscalers
