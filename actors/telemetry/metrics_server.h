// metrics-server, at `telemetry/0/metrics-server`: asks every node at its resolution what its
// containers use, and answers the resource metrics API.
//
// A node that does not answer in time takes the figures of all its pods with it until the next
// round: their pods are "missing" to an HPA, which is not the same as idle.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "actors/actor.h"
#include "actors/api_client/informer.h"
#include "actors/context.h"
#include "actors/telemetry/resource_usage.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::telemetry {

struct MetricsServerOptions {
  ApiClientOptions client;
  Duration resolution = std::chrono::seconds(15);  ///< metrics-server, --metric-resolution
  Duration timeout = std::chrono::seconds(10);     ///< metrics-server, --kubelet-request-timeout
};

class MetricsServerActor final : public Actor {
 public:
  explicit MetricsServerActor(MetricsServerOptions options);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  void collect(Context& context);
  void take(const Delivery& delivery, const NodeSummaryReply& summary);
  void expire(std::uint64_t round);
  void answer(Context& context, const Delivery& delivery, const MetricsQuery& query);

  MetricsServerOptions options_;
  ApiClient api_;
  Informer<k8s::Pod> pods_;
  Informer<k8s::Node> nodes_;
  ResourceUsage usage_;
  std::uint64_t round_ = 0;
  std::map<std::uint64_t, std::string>
      silent_;  // actor of a node's agent -> node: not answered in this round
};

}  // namespace troupe::telemetry
