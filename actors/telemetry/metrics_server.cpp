#include "actors/telemetry/metrics_server.h"

#include <algorithm>

#include "actors/telemetry/pod_selection.h"
#include "messages/hash.h"

namespace troupe::telemetry {

MetricsServerActor::MetricsServerActor(MetricsServerOptions options)
    : options_(options), api_(options_.client), pods_(api_), nodes_(api_) {}

void MetricsServerActor::start(Context& context) {
  nodes_.on_delete(
      [this](Context&, const auto& node) { usage_.forget_node(node->metadata().name()); });
  pods_.start(context);
  nodes_.start(context);
  context.set_timer(options_.resolution, Payload::of(CollectDue{}));
}

void MetricsServerActor::receive(Context& context, const Delivery& delivery) {
  if (delivery.as<CollectDue>() != nullptr) {
    collect(context);
  } else if (const auto* summary = delivery.as<NodeSummaryReply>()) {
    take(delivery, *summary);
  } else if (const auto* expired = delivery.as<CollectExpired>()) {
    expire(expired->request_id());
  } else if (const auto* query = delivery.as<MetricsQuery>()) {
    answer(context, delivery, *query);
  } else {
    api_.receive(context, delivery);
  }
}

void MetricsServerActor::collect(Context& context) {
  ++round_;
  silent_.clear();
  NodeSummaryRequest request;
  request.set_request_id(round_);
  const Payload payload = Payload::of(std::move(request));
  for (const auto& [name, node] : nodes_.cache()) {
    const Address agent = address_of("node/" + name + "/summary");
    silent_[agent.actor] = name;
    context.send(agent, payload,
                 {.link = Link::Scrape, .object = hash_bytes(name), .version = round_});
  }
  CollectExpired expired;
  expired.set_request_id(round_);
  context.set_timer(std::min(options_.timeout, options_.resolution),
                    Payload::of(std::move(expired)));
  context.set_timer(options_.resolution, Payload::of(CollectDue{}));
}

void MetricsServerActor::take(const Delivery& delivery, const NodeSummaryReply& summary) {
  if (summary.request_id() != round_) return;
  const auto node = silent_.find(delivery.sender.actor);
  if (node == silent_.end()) return;
  usage_.store(node->second, summary);
  silent_.erase(node);
}

void MetricsServerActor::expire(std::uint64_t round) {
  if (round != round_) return;
  for (const auto& [agent, node] : silent_) usage_.forget_node(node);
  silent_.clear();
}

void MetricsServerActor::answer(Context& context, const Delivery& delivery,
                                const MetricsQuery& query) {
  MetricsReply reply;
  reply.set_request_id(query.request_id());
  reply.set_code(200);
  for (const std::string& pod : selected_pods(pods_, query)) {
    auto value = usage_.usage({query.namespace_(), pod}, query.metric(), query.container());
    if (value) *reply.add_values() = std::move(*value);
  }
  context.send(
      delivery.sender, Payload::of(std::move(reply)),
      {.link = Link::Scrape, .object = delivery.sender.actor, .version = query.request_id()});
}

}  // namespace troupe::telemetry
