// An HPA controller with a stub of the API server and of the metrics APIs around it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/autoscalers/hpa/hpa_controller.h"
#include "messages/facts.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/runtime.pb.h"
#include "tests/support/api_stub.h"
#include "tests/support/fake_context.h"

namespace troupe::hpa::harness {

using troupe::testing::ApiStub;
using troupe::testing::FakeContext;

/// An HPA on Deployment prod/NAME with one Pods metric, mean `target` a pod.
inline k8s::HorizontalPodAutoscaler hpa_object(const std::string& name, const std::string& metric,
                                               const std::string& target) {
  k8s::HorizontalPodAutoscaler hpa;
  hpa.mutable_metadata()->set_name(name);
  hpa.mutable_metadata()->set_namespace_("prod");
  auto* spec = hpa.mutable_spec();
  spec->mutable_scale_target_ref()->set_kind("Deployment");
  spec->mutable_scale_target_ref()->set_name(name);
  spec->set_max_replicas(100);
  spec->mutable_behavior();
  auto* pods = spec->add_metrics();
  pods->set_type("Pods");
  pods->mutable_pods()->mutable_metric()->set_name(metric);
  pods->mutable_pods()->mutable_target()->set_type("AverageValue");
  pods->mutable_pods()->mutable_target()->set_average_value(target);
  return hpa;
}

inline k8s::Pod pod_object(const std::string& name, const std::string& app) {
  k8s::Pod pod;
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_namespace_("prod");
  auto* label = pod.mutable_metadata()->add_labels();
  label->set_key("app");
  label->set_value(app);
  pod.mutable_status()->set_phase("Running");
  auto* ready = pod.mutable_status()->add_conditions();
  ready->set_type("Ready");
  ready->set_status("True");
  return pod;
}

class HpaWorld {
 public:
  explicit HpaWorld(ControllerOptions options = {}) : api(context), options_(std::move(options)) {
    api.other = [this](Actor& to, const FakeContext::Sent& sent) { answer(to, sent); };
    restart();
  }

  /// The controller as it begins again, with nothing in memory.
  void restart() {
    context.timers.clear();
    actor = std::make_unique<HpaControllerActor>(options_);
    actor->start(context);
    api.serve(*actor);
  }
  /// Deployment prod/NAME with that many running pods, and its HPA.
  void deploy(const std::string& name, int pods, const std::string& target = "10") {
    api.set_scale("Deployment/prod/" + name, pods, "app=" + name);
    set_pods(name, pods);
    api.put(hpa_object(name, "waiting", target));
  }
  void set_pods(const std::string& name, int pods) {
    for (int i = 0; i < pods; ++i) api.put(pod_object(name + "-" + std::to_string(i), name));
    for (int i = pods; api.get<k8s::Pod>("prod/" + name + "-" + std::to_string(i)); ++i) {
      api.remove<k8s::Pod>("prod/" + name + "-" + std::to_string(i));
    }
  }
  void run(Duration span) { api.run(*actor, span); }
  [[nodiscard]] std::int32_t replicas(const std::string& name) const {
    return api.replicas("Deployment/prod/" + name);
  }
  [[nodiscard]] std::string condition(const std::string& name, const std::string& type) const {
    const auto hpa = api.get<k8s::HorizontalPodAutoscaler>("prod/" + name);
    const k8s::Condition* state = find_condition(hpa->status().conditions(), type);
    return state == nullptr ? "" : state->status() + "/" + state->reason();
  }
  [[nodiscard]] std::vector<std::string> event_reasons() const {
    std::vector<std::string> reasons;
    for (const ApiStub::Write& write : api.writes) {
      const auto* event = write.object ? write.object.as<k8s::ObjectEvent>() : nullptr;
      if (event != nullptr && write.request.verb() == api::CREATE)
        reasons.push_back(event->reason());
    }
    return reasons;
  }

  FakeContext context{"controller/hpa/0"};
  ApiStub api;
  std::unique_ptr<HpaControllerActor> actor;
  std::map<std::string, std::int64_t> milli_of_pod;  ///< the metric of each pod
  std::vector<telemetry::MetricsQuery> queries;
  bool silent = false;   ///< the metrics APIs do not answer
  bool refused = false;  ///< nobody lives there

 private:
  void answer(Actor& to, const FakeContext::Sent& sent) {
    const auto* query = sent.what.as<telemetry::MetricsQuery>();
    if (query == nullptr) return;
    queries.push_back(*query);
    if (silent) return;
    if (refused) {
      to.receive(context, context.deliver(Payload::of(runtime::ConnectionRefused{}, {sent.what}),
                                          "telemetry/0/prometheus"));
      return;
    }
    telemetry::MetricsReply reply;
    reply.set_request_id(query->request_id());
    reply.set_code(200);
    const std::string prefix = query->pod_selector(0).values(0) + "-";
    for (const auto& [pod, milli] : milli_of_pod) {
      if (!pod.starts_with(prefix)) continue;
      auto* value = reply.add_values();
      value->set_pod(pod);
      value->set_milli(milli);
      value->set_timestamp_ns(to_ns(context.now()));
    }
    to.receive(context, context.deliver(Payload::of(std::move(reply)), "telemetry/0/prometheus"));
  }

  ControllerOptions options_;
};

}  // namespace troupe::hpa::harness
