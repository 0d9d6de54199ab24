#include "actors/serving/router_actor.h"

#include <utility>

#include "messages/assert.h"
#include "messages/runtime.pb.h"

namespace troupe::serving {
namespace {

constexpr std::uint32_t kUnavailable = 503;
constexpr Duration kMinute = std::chrono::minutes(1);
constexpr std::string_view kServiceLabel = "kubernetes.io/service-name";

InformerOptions slices_of(const std::string& service) {
  const auto slash = service.find('/');
  TROUPE_ASSERT(slash != std::string::npos, "a router's service is namespace/name");
  return {.name_space = service.substr(0, slash),
          .labels = {label_in(kServiceLabel, {service.substr(slash + 1)})}};
}

std::set<std::string> ready_paths(const Informer<k8s::EndpointSlice>& slices) {
  std::set<std::string> paths;
  for (const auto& [name, slice] : slices.cache()) {
    for (const k8s::Endpoint& endpoint : slice->endpoints()) {
      // Unset means ready, as discovery/v1 has it.
      const bool ready = !endpoint.conditions().has_ready() || endpoint.conditions().ready();
      if (ready && endpoint.addresses_size() > 0) paths.insert(endpoint.addresses(0));
    }
  }
  return paths;
}

InferDone rejection(const std::string& reason) {
  InferDone done;
  done.set_outcome(InferDone::REJECTED);
  done.set_code(kUnavailable);
  done.set_reason(reason);
  return done;
}

}  // namespace

std::unique_ptr<Actor> make_router(const Payload& host_start) {
  TROUPE_ASSERT(!host_start.attachments().empty(), "a router without its configuration");
  auto config = host_start.attachments()[0].share<hosts::RouterConfig>();
  TROUPE_ASSERT(config != nullptr, "the configuration of a router must be a RouterConfig");
  return std::make_unique<RouterActor>(std::move(config));
}

RouterActor::RouterActor(std::shared_ptr<const hosts::RouterConfig> config)
    : config_(std::move(config)),
      api_(ApiClientOptions::of(config_->client())),
      slices_(api_, slices_of(config_->service())),
      picker_(routing_policy(config_->policy()).value_or(RoutingPolicy::RoundRobin)) {
  totals_.set_service(config_->service());
}

void RouterActor::start(Context& context) {
  slices_.on_add([this](Context& now, const auto&) { endpoints_changed(now); });
  slices_.on_update([this](Context& now, const auto&, const auto&) { endpoints_changed(now); });
  slices_.on_delete([this](Context& now, const auto&) { endpoints_changed(now); });
  slices_.start(context);
}

void RouterActor::receive(Context& context, const Delivery& delivery) {
  if (const auto* request = delivery.as<InferRequest>()) {
    accept(context, delivery, *request);
  } else if (const auto* token = delivery.as<FirstToken>()) {
    relay_token(context, *token);
  } else if (const auto* reply = delivery.as<InferDone>()) {
    done(context, *reply);
  } else if (const auto* hung_up = delivery.as<CancelRequest>()) {
    hang_up(context, delivery.sender, hung_up->request_id());
  } else if (delivery.as<RouterMinuteEnded>() != nullptr) {
    minute_ = 0;
    report(context);
  } else if (!api_.receive(context, delivery) &&
             delivery.as<runtime::ConnectionRefused>() != nullptr) {
    refused(context, delivery);
  }
}

void RouterActor::endpoints_changed(Context& context) {
  const std::set<std::string> before = picker_.ready();
  picker_.set_ready(ready_paths(slices_));
  for (const std::string& path : before) {
    if (picker_.ready().contains(path) || picker_.in_flight(path) == 0) continue;
    context.send(address_of(path), Payload::of(CheckConnection{}), {.link = Link::DataPlane});
  }
  for (RoutedRequest* request : open_.waiting()) {
    request->tried.clear();
    place(context, *request);
  }
}

void RouterActor::accept(Context& context, const Delivery& delivery, const InferRequest& request) {
  RoutedRequest* added = open_.add({.client = delivery.sender,
                                    .client_id = request.request_id(),
                                    .trace = request.trace(),
                                    .payload = delivery.payload});
  if (added == nullptr) return;
  totals_.set_received(totals_.received() + 1);
  count_changed(context);
  place(context, *added);
}

void RouterActor::place(Context& context, RoutedRequest& request) {
  const auto endpoint = picker_.pick(request.tried);
  if (!endpoint) {
    // It counts itself among those that wait.
    if (open_.waiting_count() > config_->queue_limit()) {
      end(context, request, rejection("no endpoint is ready and the router's queue is full"));
    }
    return;
  }
  picker_.begin(*endpoint);
  open_.start_attempt(request, *endpoint);
  InferRequest forwarded = *request.payload.as<InferRequest>();
  forwarded.set_request_id(request.attempt);
  context.send(address_of(*endpoint), Payload::of(std::move(forwarded)),
               {.link = Link::DataPlane, .object = request.trace, .version = request.attempt});
}

void RouterActor::relay_token(Context& context, const FirstToken& token) {
  RoutedRequest* request = open_.find_by_attempt(token.request_id());
  if (request == nullptr) return;
  request->has_token = true;
  FirstToken relayed;
  relayed.set_request_id(request->client_id);
  context.send(request->client, Payload::of(std::move(relayed)),
               {.link = Link::DataPlane, .object = request->trace, .version = request->client_id});
}

void RouterActor::done(Context& context, const InferDone& done) {
  RoutedRequest* request = open_.find_by_attempt(done.request_id());
  if (request == nullptr) return;
  const bool unserved = done.outcome() == InferDone::FAILED || done.code() == kUnavailable;
  if (unserved && !request->has_token) return retry(context, *request);
  leave(*request);
  end(context, *request, done);
}

void RouterActor::retry(Context& context, RoutedRequest& request) {
  request.tried.insert(request.endpoint);
  leave(request);
  if (++request.refusals >= kAttemptsMax) {
    return end(context, request, rejection("refused by every endpoint tried"));
  }
  place(context, request);
}

void RouterActor::leave(RoutedRequest& request) {
  picker_.end(request.endpoint);
  open_.end_attempt(request);
}

void RouterActor::end(Context& context, RoutedRequest& request, InferDone done) {
  switch (done.outcome()) {
    case InferDone::COMPLETED:
      totals_.set_completed(totals_.completed() + 1);
      break;
    case InferDone::REJECTED:
      totals_.set_rejected(totals_.rejected() + 1);
      break;
    default:
      totals_.set_failed(totals_.failed() + 1);
      break;
  }
  done.set_request_id(request.client_id);
  context.send(request.client, Payload::of(std::move(done)),
               {.link = Link::DataPlane, .object = request.trace, .version = request.client_id});
  open_.erase(request);
  count_changed(context);
}

void RouterActor::hang_up(Context& context, const Address& client, std::uint64_t client_id) {
  RoutedRequest* request = open_.find_by_client(client, client_id);
  if (request == nullptr) return;
  if (!request->endpoint.empty()) {
    CancelRequest forwarded;
    forwarded.set_request_id(request->attempt);
    context.send(address_of(request->endpoint), Payload::of(std::move(forwarded)),
                 {.link = Link::DataPlane, .object = request->trace, .version = request->attempt});
    leave(*request);
  }
  totals_.set_cancelled(totals_.cancelled() + 1);
  open_.erase(*request);
  count_changed(context);
}

void RouterActor::refused(Context& context, const Delivery& delivery) {
  const Payload& sent = delivery.payload.attachments()[0];
  if (sent.as<CheckConnection>() != nullptr) return connection_lost(context, delivery.sender);
  if (const auto* request = sent.as<InferRequest>()) {
    RoutedRequest* open = open_.find_by_attempt(request->request_id());
    if (open != nullptr) retry(context, *open);
  } else if (const auto* token = sent.as<FirstToken>()) {
    hang_up(context, delivery.sender, token->request_id());  // the client is gone
  }
}

void RouterActor::connection_lost(Context& context, const Address& endpoint) {
  for (const std::uint64_t attempt : open_.attempts_at(endpoint)) {
    RoutedRequest& request = *open_.find_by_attempt(attempt);
    if (!request.has_token) {
      retry(context, request);
      continue;
    }
    InferDone reset;
    reset.set_outcome(InferDone::FAILED);
    reset.set_reason("connection reset");
    leave(request);
    end(context, request, std::move(reset));
  }
}

/// Totals are reported once a minute while they change, and whenever nothing is open.
void RouterActor::count_changed(Context& context) {
  totals_.set_open(open_.size());
  if (open_.size() == 0) return report(context);
  if (minute_ != 0) return;
  const Duration into = context.now().time_since_epoch() % kMinute;
  minute_ = context.set_timer(kMinute - into, Payload::of(RouterMinuteEnded{}));
}

void RouterActor::report(Context& context) {
  context.emit(Payload::of(totals_));
}

}  // namespace troupe::serving
