#include "actors/autoscalers/hpa/hpa_controller.h"

#include "actors/autoscalers/hpa/metric_queries.h"
#include "actors/autoscalers/hpa/status_writer.h"
#include "messages/assert.h"
#include "messages/facts.pb.h"

namespace troupe::hpa {
namespace {

// What a decision costs: small beside the calls around it. Assumed, as no measurement is published:
// a fixed part for the conditions and statuses, and a part for each pod and metric, which are
// walked two or three times.
constexpr Duration kDecisionCost = std::chrono::microseconds(200);
constexpr Duration kCostPerSample = std::chrono::microseconds(2);

Duration decision_cost(std::size_t pods, std::size_t metrics) {
  return kDecisionCost + kCostPerSample * static_cast<std::int64_t>(pods * metrics);
}

Duration given_or(std::int64_t ns, Duration fallback) {
  return ns > 0 ? Duration{ns} : fallback;
}

std::string text_of(const ApiResult& result) {
  if (!result.message.empty()) return result.message;
  return result.reason.empty() ? "code " + std::to_string(result.code) : result.reason;
}

api::ObjectKey target_of(const Spec& spec) {
  return object_key(spec.target_kind, spec.namespace_name, spec.target_name);
}

}  // namespace

ControllerOptions ControllerOptions::of(const hosts::HpaConfig& config) {
  ControllerOptions options;
  options.client = ApiClientOptions::of(config.client());
  options.sync_period = given_or(config.sync_period_ns(), options.sync_period);
  Options& rules = options.rules;
  if (config.tolerance() > 0.0) rules.tolerance = config.tolerance();
  rules.downscale_stabilization =
      given_or(config.downscale_stabilization_ns(), rules.downscale_stabilization);
  rules.cpu_initialization = given_or(config.cpu_initialization_ns(), rules.cpu_initialization);
  rules.initial_readiness_delay =
      given_or(config.initial_readiness_delay_ns(), rules.initial_readiness_delay);
  rules.profile = config.profile() == "1.35" ? Profile::Kubernetes135 : Profile::Kubernetes131;
  return options;
}

HpaControllerActor::HpaControllerActor(ControllerOptions options)
    : options_(std::move(options)),
      api_(options_.client),
      hpas_(api_),
      pods_(api_),
      events_(api_, "horizontal-pod-autoscaler"),
      metrics_(options_.telemetry),
      queue_({.workers = options_.workers},
             [this](Context& context, const std::string& key) { begin(context, key); }) {}

void HpaControllerActor::start(Context& context) {
  hpas_.on_delete([this](Context&, const auto& hpa) {
    histories_.erase(path_of(hpa->metadata()));
    target_pods_.forget(path_of(hpa->metadata()));
  });
  hpas_.start(context);
  pods_.start(context);
  context.set_timer(options_.sync_period, Payload::of(autoscalers::SyncDue{}));
}

void HpaControllerActor::receive(Context& context, const Delivery& delivery) {
  if (delivery.as<autoscalers::SyncDue>() != nullptr) {
    context.set_timer(options_.sync_period, Payload::of(autoscalers::SyncDue{}));
    if (!hpas_.synced() || !pods_.synced()) return;
    for (const auto& [key, hpa] : hpas_.cache()) queue_.add(context, key);
  } else if (const auto* decided = delivery.as<autoscalers::HpaDecided>()) {
    act(context, *decided);
  } else if (!metrics_.receive(context, delivery) && !queue_.receive(context, delivery)) {
    api_.receive(context, delivery);
  }
}

void HpaControllerActor::begin(Context& context, const std::string& key) {
  const auto hpa = hpas_.get(key);
  if (hpa == nullptr) return queue_.done(context, key);
  Sync& sync = syncs_[key];
  sync = {};
  sync.id = ++last_sync_;
  sync.hpa = hpa;
  sync.spec = spec_of(*hpa, options_.rules.downscale_stabilization);
  sync.memory = {histories_[key], hpa->status().conditions()};
  api_.get_scale(context, target_of(sync.spec), [this, key](Context& now, const ApiResult& result) {
    take_scale(now, key, result);
  });
}

void HpaControllerActor::take_scale(Context& context, const std::string& key,
                                    const ApiResult& result) {
  Sync& sync = syncs_.at(key);
  const auto scale = result.ok() ? result.as<k8s::Scale>() : nullptr;
  if (scale == nullptr) {
    sync.decision = give_up_on_scale(text_of(result), context.now(), sync.memory);
    return finish(context, key);
  }
  sync.scale = {scale->spec().replicas(), scale->status().replicas(), scale->status().selector()};
  select_pods(sync, key);
  auto early = decide_without_metrics(context_of(sync, context.now()), sync.memory);
  if (!early) return read_next(context, key);
  sync.decision = std::move(*early);
  announce(context, key);
}

void HpaControllerActor::select_pods(Sync& sync, const std::string& key) {
  auto selection = target_pods_.select(key, sync.scale.selector);
  if (!selection) sync.scale.selector.clear();
  sync.target = selection ? std::move(*selection) : TargetPods::Selection{};
}

SyncContext HpaControllerActor::context_of(const Sync& sync, SimTime now) const {
  return {sync.spec, sync.scale, sync.target.pods, sync.target.rivals, now, options_.rules};
}

void HpaControllerActor::read_next(Context& context, const std::string& key) {
  Sync& sync = syncs_.at(key);
  metrics_.query(context,
                 query_for(sync.spec, *sync.hpa, sync.readings.size(), sync.target.selector),
                 [this, key](Context& now, const telemetry::MetricsReply& reply) {
                   take_reading(now, key, reply);
                 });
}

void HpaControllerActor::take_reading(Context& context, const std::string& key,
                                      const telemetry::MetricsReply& reply) {
  Sync& sync = syncs_.at(key);
  const SourceType type = sync.spec.metrics[sync.readings.size()].type;
  sync.readings.push_back(reading_of(type, reply));
  if (sync.readings.size() < sync.spec.metrics.size()) return read_next(context, key);
  select_pods(sync, key);  // as the cache shows them now
  sync.decision = decide(context_of(sync, context.now()), sync.readings, sync.memory);
  announce(context, key);
}

void HpaControllerActor::announce(Context& context, const std::string& key) {
  const Sync& sync = syncs_.at(key);
  autoscalers::HpaDecided decided;
  decided.set_hpa(key);
  decided.set_sync(sync.id);
  decided.set_current(sync.decision.current);
  decided.set_desired(sync.decision.desired);
  decided.set_rescale(sync.decision.rescale);
  decided.set_reason(sync.decision.reason);
  context.set_timer(decision_cost(sync.target.pods.size(), sync.spec.metrics.size()),
                    Payload::of(std::move(decided)));
}

void HpaControllerActor::act(Context& context, const autoscalers::HpaDecided& decided) {
  const std::string& key = decided.hpa();
  TROUPE_ASSERT(syncs_.at(key).id == decided.sync(), "one sync of an HPA at a time");
  if (!decided.rescale()) return finish(context, key);
  api_.scale(context, target_of(syncs_.at(key).spec), decided.desired(),
             [this, key](Context& now, const ApiResult& result) { take_write(now, key, result); });
}

void HpaControllerActor::take_write(Context& context, const std::string& key,
                                    const ApiResult& result) {
  Sync& sync = syncs_.at(key);
  WriteOutcome outcome{std::nullopt, context.now()};
  if (!result.ok()) outcome.error = text_of(result);
  conclude(sync.spec, outcome, sync.decision, sync.memory);
  if (result.ok()) {
    sync.rescaled = context.now();
    emit_rescale(context, sync);
  }
  finish(context, key);
}

void HpaControllerActor::finish(Context& context, const std::string& key) {
  Sync& sync = syncs_.at(key);
  report(context, sync);
  if (hpas_.get(key) != nullptr) histories_[key] = sync.memory.history;
  k8s::HorizontalPodAutoscaler changed = *sync.hpa;
  *changed.mutable_status() =
      status_after(*sync.hpa, sync.decision, sync.memory.conditions, sync.rescaled);
  if (changed.status().SerializeAsString() == sync.hpa->status().SerializeAsString()) {
    return release(context, key);
  }
  api_.update_status(context, std::move(changed),
                     [this, key](Context& now, const ApiResult& result) {
                       if (!result.ok()) {
                         events_.record(now, *syncs_.at(key).hpa,
                                        {"Warning", "FailedUpdateStatus", text_of(result)});
                       }
                       release(now, key);
                     });
}

void HpaControllerActor::release(Context& context, const std::string& key) {
  syncs_.erase(key);
  queue_.done(context, key);
}

void HpaControllerActor::report(Context& context, const Sync& sync) {
  for (const HpaEvent& event : sync.decision.events) {
    events_.record(context, *sync.hpa,
                   {event.warning ? "Warning" : "Normal", event.reason, event.message});
  }
  facts::AutoscalerSynced synced;
  synced.set_autoscaler("hpa/" + path_of(sync.hpa->metadata()));
  synced.set_current(sync.decision.current);
  synced.set_desired(sync.decision.desired);
  const k8s::Condition* active = find_condition(sync.memory.conditions, kScalingActive);
  synced.set_reason(active == nullptr ? sync.decision.reason : active->reason());
  context.emit(Payload::of(std::move(synced)));
}

void HpaControllerActor::emit_rescale(Context& context, const Sync& sync) const {
  facts::ScalingDecision decision;
  decision.set_autoscaler("hpa/" + path_of(sync.hpa->metadata()));
  decision.set_target(sync.spec.target_kind + "/" + sync.spec.namespace_name + "/" +
                      sync.spec.target_name);
  decision.set_from(sync.decision.current);
  decision.set_to(sync.decision.desired);
  decision.set_reason(sync.decision.reason);
  decision.set_signal(sync.decision.signal);
  context.emit(Payload::of(std::move(decision)));
}

std::unique_ptr<Actor> make_hpa_controller(const Payload& host_start) {
  const auto& attachments = host_start.attachments();
  TROUPE_ASSERT(!attachments.empty() && attachments[0].as<hosts::HpaConfig>() != nullptr,
                "an HPA controller begins from an HpaConfig");
  return std::make_unique<HpaControllerActor>(
      ControllerOptions::of(*attachments[0].as<hosts::HpaConfig>()));
}

}  // namespace troupe::hpa
