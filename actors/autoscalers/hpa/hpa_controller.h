// The horizontal pod autoscaler controller, at `controller/hpa/0`.
//
// Every sync period each HPA is due, in order of names; a few workers share them, and one HPA is
// never in two hands. A sync reads the target's scale, asks the metrics APIs one metric after the
// other, decides on the pods that its cache shows then, and writes scale, status and events. Each
// of these steps takes a message's time, and the cache is late: so a sync may act on pods that are
// gone and on samples older than its own last scale-up. The memory of windows and rates is the
// process's own: a restart forgets it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/api_client/event_recorder.h"
#include "actors/api_client/informer.h"
#include "actors/api_client/work_queue.h"
#include "actors/autoscalers/hpa/decision.h"
#include "actors/autoscalers/hpa/target_pods.h"
#include "actors/autoscalers/metrics_client.h"
#include "actors/context.h"
#include "messages/autoscalers.pb.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::hpa {

struct ControllerOptions {
  ApiClientOptions client;
  Options rules;
  Duration sync_period = std::chrono::seconds(15);  ///< --horizontal-pod-autoscaler-sync-period
  std::uint32_t workers = 5;  ///< --concurrent-horizontal-pod-autoscaler-syncs
  std::string telemetry = "telemetry/0";

  static ControllerOptions of(const hosts::HpaConfig& config);
};

class HpaControllerActor final : public Actor {
 public:
  explicit HpaControllerActor(ControllerOptions options);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  /// One sync of one HPA, on its way.
  struct Sync {
    std::uint64_t id = 0;
    std::shared_ptr<const k8s::HorizontalPodAutoscaler> hpa;
    Spec spec;
    ScaleState scale;
    TargetPods::Selection target;
    std::vector<MetricReading> readings;
    Memory memory;
    Decision decision;
    std::optional<SimTime> rescaled;  ///< when the new size was accepted
  };

  void begin(Context& context, const std::string& key);
  void take_scale(Context& context, const std::string& key, const ApiResult& result);
  void read_next(Context& context, const std::string& key);
  void take_reading(Context& context, const std::string& key, const telemetry::MetricsReply& reply);
  void announce(Context& context, const std::string& key);
  void act(Context& context, const autoscalers::HpaDecided& decided);
  void take_write(Context& context, const std::string& key, const ApiResult& result);
  void finish(Context& context, const std::string& key);
  void release(Context& context, const std::string& key);

  void select_pods(Sync& sync, const std::string& key);
  [[nodiscard]] SyncContext context_of(const Sync& sync, SimTime now) const;
  void report(Context& context, const Sync& sync);
  void emit_rescale(Context& context, const Sync& sync) const;

  ControllerOptions options_;
  ApiClient api_;
  Informer<k8s::HorizontalPodAutoscaler> hpas_;
  Informer<k8s::Pod> pods_;
  TargetPods target_pods_{pods_};
  EventRecorder events_;
  autoscalers::MetricsClient metrics_;
  WorkQueue queue_;
  std::uint64_t last_sync_ = 0;
  std::map<std::string, Sync> syncs_;  // by HPA, "namespace/name"
  std::map<std::string, History> histories_;
};

/// The builder of the host kind "hpa": attachment 0 of HostStart is a hosts::HpaConfig.
[[nodiscard]] std::unique_ptr<Actor> make_hpa_controller(const Payload& host_start);

}  // namespace troupe::hpa
