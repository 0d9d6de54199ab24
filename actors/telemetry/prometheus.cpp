#include "actors/telemetry/prometheus.h"

#include <algorithm>

#include "actors/telemetry/pod_selection.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe::telemetry {
namespace {

std::vector<MetricRule> rules_of(const TelemetryRules& rules) {
  return {rules.rules().begin(), rules.rules().end()};
}

// Time until a target's next turn: its offset within the interval is a hash of its address.
Duration until_turn(const std::string& target, SimTime now, Duration interval) {
  const auto period = static_cast<std::uint64_t>(interval.count());
  const auto offset = static_cast<std::int64_t>(hash_bytes(target) % period);
  const std::int64_t into = (to_ns(now) - offset) % interval.count();
  return interval - Duration{into < 0 ? into + interval.count() : into};
}

}  // namespace

PrometheusActor::PrometheusActor(PrometheusOptions options)
    : options_(std::move(options)),
      store_(options_.retention),
      recorder_(store_),
      adapter_(store_, rules_of(options_.rules)),
      api_(options_.client),
      pods_(api_),
      nodes_(api_) {}

void PrometheusActor::start(Context& context) {
  watch(context);
  for (const StaticTarget& target : options_.rules.targets()) apply(context, targets_.add(target));
  context.set_timer(options_.retention, Payload::of(CollectDue{}));
}

void PrometheusActor::watch(Context& context) {
  pods_.on_add([this](Context& now, const auto& pod) { apply(now, targets_.update(*pod)); });
  pods_.on_update(
      [this](Context& now, const auto&, const auto& pod) { apply(now, targets_.update(*pod)); });
  pods_.on_delete([this](Context& now, const auto& pod) { apply(now, targets_.remove(*pod)); });
  nodes_.on_add([this](Context& now, const auto& node) { apply(now, targets_.update(*node)); });
  nodes_.on_update(
      [this](Context& now, const auto&, const auto& node) { apply(now, targets_.update(*node)); });
  nodes_.on_delete([this](Context& now, const auto& node) { apply(now, targets_.remove(*node)); });
  pods_.start(context);
  nodes_.start(context);
}

void PrometheusActor::receive(Context& context, const Delivery& delivery) {
  if (const auto* due = delivery.as<ScrapeDue>()) {
    scrape(context, due->target());
  } else if (const auto* disturb = delivery.as<fault::DisturbScrapes>()) {
    faults_.change(*disturb);
  } else if (const auto* reply = delivery.as<ScrapeReply>()) {
    take(context, delivery.sender, *reply);
  } else if (const auto* expired = delivery.as<ScrapeExpired>()) {
    fail(context, address_of(expired->target()), expired->request_id());
  } else if (const auto* query = delivery.as<MetricsQuery>()) {
    answer(context, delivery, *query);
  } else if (delivery.as<CollectDue>() != nullptr) {
    store_.prune(context.now());
    context.set_timer(options_.retention, Payload::of(CollectDue{}));
  } else if (delivery.as<runtime::ConnectionRefused>() != nullptr &&
             delivery.payload.attachments()[0].as<ScrapeRequest>() != nullptr) {
    fail(context, delivery.sender,
         delivery.payload.attachments()[0].as<ScrapeRequest>()->request_id());
  } else {
    api_.receive(context, delivery);
  }
}

void PrometheusActor::apply(Context& context, const TargetChange& change) {
  if (change.path.empty()) return;
  if (change.added) {
    schedule(context, change.path);
    return;
  }
  if (const auto due = due_.find(change.path); due != due_.end()) {
    context.cancel_timer(due->second);
    due_.erase(due);
  }
  recorder_.forget(change.path, context.now());
}

void PrometheusActor::schedule(Context& context, const std::string& target) {
  ScrapeDue due;
  due.set_target(target);
  due_[target] = context.set_timer(until_turn(target, context.now(), options_.interval),
                                   Payload::of(std::move(due)));
}

void PrometheusActor::scrape(Context& context, const std::string& target) {
  if (targets_.find(target) == nullptr) return;
  // Numbered by time and not by how many came before, so one target more changes no other's
  // scrapes.
  const auto turn = static_cast<std::uint64_t>(to_ns(context.now()) / options_.interval.count());
  ScrapeRequest request;
  request.set_request_id(turn);
  const Address to = address_of(target);
  context.send(to, Payload::of(std::move(request)),
               {.link = Link::Scrape, .object = to.actor, .version = turn});
  ScrapeExpired expired;
  expired.set_target(target);
  expired.set_request_id(turn);
  const Duration patience = std::min(options_.timeout, options_.interval);
  const TimerId deadline = context.set_timer(patience, Payload::of(std::move(expired)));
  scrapes_[to.actor] = {target, turn, context.now(), deadline};
  schedule(context, target);
}

// Takes the scrape of that turn off the list; none if it has ended already.
std::optional<PrometheusActor::Scrape> PrometheusActor::end(Context& context, const Address& target,
                                                            std::uint64_t turn) {
  const auto at = scrapes_.find(target.actor);
  if (at == scrapes_.end() || at->second.turn != turn) return std::nullopt;
  Scrape scrape = std::move(at->second);
  scrapes_.erase(at);
  context.cancel_timer(scrape.deadline);
  return scrape;
}

void PrometheusActor::take(Context& context, const Address& from, const ScrapeReply& reply) {
  const auto under_way = scrapes_.find(from.actor);
  if (under_way != scrapes_.end() && faults_.gap(under_way->second.target)) {
    return fail(context, from, reply.request_id());
  }
  const auto scrape = end(context, from, reply.request_id());
  const ScrapeTarget* target = scrape ? targets_.find(scrape->target) : nullptr;
  if (target == nullptr) return;
  recorder_.succeeded(scrape->target, target->labels, faults_.shown(scrape->target, reply),
                      scrape->began);
  targets_.succeeded(scrape->target);
}

void PrometheusActor::fail(Context& context, const Address& target, std::uint64_t turn) {
  const auto scrape = end(context, target, turn);
  const ScrapeTarget* known = scrape ? targets_.find(scrape->target) : nullptr;
  if (known == nullptr) return;
  recorder_.failed(scrape->target, known->labels, scrape->began);
  apply(context, targets_.failed(scrape->target));
}

void PrometheusActor::answer(Context& context, const Delivery& delivery,
                             const MetricsQuery& query) {
  context.send(
      delivery.sender, Payload::of(evaluate(query, context.now())),
      {.link = Link::Scrape, .object = delivery.sender.actor, .version = query.request_id()});
}

MetricsReply PrometheusActor::evaluate(const MetricsQuery& query, SimTime now) const {
  switch (query.source()) {
    case MetricsQuery::PODS:
      return adapter_.for_pods(query, selected_pods(pods_, query), now);
    case MetricsQuery::OBJECT:
      return adapter_.for_object(query, now);
    case MetricsQuery::EXTERNAL:
      return adapter_.external(query, now);
    default:
      break;
  }
  MetricsReply reply;
  reply.set_request_id(query.request_id());
  reply.set_code(404);
  reply.set_message("resource metrics are metrics-server's");
  return reply;
}

}  // namespace troupe::telemetry
