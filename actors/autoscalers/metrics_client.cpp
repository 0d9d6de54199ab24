#include "actors/autoscalers/metrics_client.h"

#include "messages/autoscalers.pb.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe::autoscalers {

void MetricsClient::query(Context& context, telemetry::MetricsQuery query, MetricsCallback done) {
  const std::uint64_t id = ++last_request_;
  query.set_request_id(id);
  const bool resource = query.source() == telemetry::MetricsQuery::POD_RESOURCE;
  const std::string path = telemetry_ + (resource ? "/metrics-server" : "/prometheus");
  const std::uint64_t object = mix(hash_bytes(query.namespace_()), hash_bytes(query.metric()));
  MetricsExpired expired;
  expired.set_request_id(id);
  const TimerId deadline = context.set_timer(kTimeout, Payload::of(std::move(expired)));
  pending_[id] = {std::move(done), deadline};
  context.send(address_of(path), Payload::of(std::move(query)),
               {.link = Link::Scrape, .object = object, .version = id});
}

bool MetricsClient::receive(Context& context, const Delivery& delivery) {
  if (const auto* reply = delivery.as<telemetry::MetricsReply>()) {
    finish(context, *reply);
    return true;
  }
  if (const auto* expired = delivery.as<MetricsExpired>()) {
    fail(context, expired->request_id(), 504, "the server did not answer in time");
    return true;
  }
  if (delivery.as<runtime::ConnectionRefused>() == nullptr) return false;
  const auto* query = delivery.payload.attachments()[0].as<telemetry::MetricsQuery>();
  if (query == nullptr) return false;
  fail(context, query->request_id(), 503, "the server is currently unable to handle the request");
  return true;
}

void MetricsClient::finish(Context& context, const telemetry::MetricsReply& reply) {
  const auto pending = pending_.find(reply.request_id());
  if (pending == pending_.end()) return;  // after its deadline
  context.cancel_timer(pending->second.deadline);
  const MetricsCallback done = std::move(pending->second.done);
  pending_.erase(pending);
  done(context, reply);
}

void MetricsClient::fail(Context& context, std::uint64_t request, int code,
                         const std::string& message) {
  telemetry::MetricsReply reply;
  reply.set_request_id(request);
  reply.set_code(code);
  reply.set_message(message);
  finish(context, reply);
}

}  // namespace troupe::autoscalers
