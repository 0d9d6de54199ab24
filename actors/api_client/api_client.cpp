#include "actors/api_client/api_client.h"

#include <set>

#include "messages/assert.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe {
namespace {

/// Where a client's channel number stands in its ids.
constexpr int kChannelShift = 40;

Via request_via(const api::ObjectKey& key, std::uint64_t id) {
  return {.link = Link::Api, .object = hash_of(key), .version = id};
}

ApiResult failure(int code, std::string reason, std::string message) {
  ApiResult result;
  result.code = code;
  result.reason = std::move(reason);
  result.message = std::move(message);
  return result;
}

ApiResult result_of(const api::ApiReply& reply, const Payload& payload) {
  ApiResult result;
  result.code = reply.code();
  result.reason = reply.reason();
  result.message = reply.message();
  result.resource_version = reply.resource_version();
  result.retry_after_seconds = reply.retry_after_seconds();
  result.items = payload.attachments();
  return result;
}

}  // namespace

ApiClientOptions ApiClientOptions::of(const hosts::ControllerClient& config) {
  ApiClientOptions options;
  options.qps = config.qps();
  options.burst = config.burst();
  options.api_servers = std::max<std::uint32_t>(config.api_servers(), 1);
  return options;
}

ApiClient::ApiClient(ApiClientOptions options)
    : options_(options),
      bucket_(options.qps, options.burst),
      connection_(options.api_servers),
      last_id_(static_cast<std::uint64_t>(options.channel) << kChannelShift) {}

// ---- requests ----

void ApiClient::write(Context& context, api::Verb verb, const std::string& subresource,
                      Payload object, ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(verb);
  request.set_subresource(subresource);
  *request.mutable_key() = key_of(object.message());
  submit(context, std::move(request), std::move(object), std::move(done));
}

void ApiClient::patch_object(Context& context, Payload partial, const PatchOptions& options,
                              ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(options.strategic ? api::STRATEGIC_PATCH : api::MERGE_PATCH);
  request.set_subresource(options.subresource);
  request.set_precondition_version(options.resource_version);
  *request.mutable_key() = key_of(partial.message());
  for (const std::string& path : options.clear) request.add_clear_paths(path);
  submit(context, std::move(request), std::move(partial), std::move(done));
}

void ApiClient::remove(Context& context, const api::ObjectKey& key, const DeleteOptions& options,
                       ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(api::DELETE);
  *request.mutable_key() = key;
  request.set_precondition_uid(options.uid);
  request.set_precondition_version(options.resource_version);
  request.set_propagation(options.propagation);
  if (options.grace_period_seconds) {
    request.set_grace_period_seconds(*options.grace_period_seconds);
  }
  submit(context, std::move(request), {}, std::move(done));
}

void ApiClient::bind(Context& context, const api::ObjectKey& pod, const std::string& uid,
                     const std::string& node, ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(api::BIND);
  *request.mutable_key() = pod;
  request.set_precondition_uid(uid);
  request.set_node_name(node);
  submit(context, std::move(request), {}, std::move(done));
}

void ApiClient::evict(Context& context, const api::ObjectKey& pod, const DeleteOptions& options,
                      ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(api::EVICT);
  *request.mutable_key() = pod;
  request.set_precondition_uid(options.uid);
  request.set_precondition_version(options.resource_version);
  if (options.grace_period_seconds) {
    request.set_grace_period_seconds(*options.grace_period_seconds);
  }
  submit(context, std::move(request), {}, std::move(done));
}

void ApiClient::scale(Context& context, const api::ObjectKey& key, std::int64_t replicas,
                      ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(api::UPDATE);
  request.set_subresource("scale");
  *request.mutable_key() = key;
  request.set_replicas(replicas);
  submit(context, std::move(request), {}, std::move(done));
}

void ApiClient::get(Context& context, const api::ObjectKey& key, ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(api::GET);
  *request.mutable_key() = key;
  submit(context, std::move(request), {}, std::move(done));
}

void ApiClient::get_scale(Context& context, const api::ObjectKey& key, ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(api::GET);
  request.set_subresource("scale");
  *request.mutable_key() = key;
  submit(context, std::move(request), {}, std::move(done));
}

void ApiClient::list(Context& context, const ListOptions& options, ApiCallback done) {
  api::ApiRequest request;
  request.set_verb(api::LIST);
  request.mutable_key()->set_kind(options.kind);
  request.set_list_namespace(options.name_space);
  request.set_resource_version(options.resource_version);
  for (const auto& field : options.fields) *request.add_fields() = field;
  for (const auto& label : options.labels) *request.add_labels() = label;
  submit(context, std::move(request), {}, std::move(done));
}

void ApiClient::submit(Context& context, api::ApiRequest request, Payload object,
                       ApiCallback done) {
  const std::uint64_t id = ++last_id_;
  request.set_request_id(id);
  const Via via = request_via(request.key(), id);
  std::vector<Payload> attachments;
  if (object) attachments.push_back(std::move(object));
  Payload message = Payload::of(std::move(request), std::move(attachments));
  throttle(context, {std::move(message), via, id, std::move(done), context.now()});
}

// ---- the rate limit ----

void ApiClient::throttle(Context& context, Waiting request) {
  if (waiting_.size() >= options_.queue_limit && request.done) {
    ApiResult full = failure(429, "ClientQueueFull", "too many requests wait in this client");
    timers_.after(context, Duration::zero(), "refused",
                  [done = std::move(request.done), full](Context& later) { done(later, full); });
    return;
  }
  request.at = bucket_.take(context.now());
  if (waiting_.empty() && request.at <= context.now()) {
    send_now(context, std::move(request));
    return;
  }
  waiting_.push_back(std::move(request));
  if (waiting_.size() == 1) arm_throttle(context);
}

void ApiClient::arm_throttle(Context& context) {
  const Duration delay = std::max(Duration::zero(), waiting_.front().at - context.now());
  timers_.after(context, delay, "rate limit", [this](Context& later) {
    while (!waiting_.empty() && waiting_.front().at <= later.now()) {
      Waiting request = std::move(waiting_.front());
      waiting_.pop_front();
      send_now(later, std::move(request));
    }
    if (!waiting_.empty()) arm_throttle(later);
  });
}

void ApiClient::send_now(Context& context, Waiting request) {
  // A watch that was given up while it waited for its token is not sent at all.
  if (!request.done && !watches_.contains(request.id)) return;
  const Address& server = connection_.server(context);
  if (request.done) {
    pending_.emplace(request.id, Pending{std::move(request.done), connection_.number()});
    deadlines_.emplace_back(context.now() + options_.timeout, request.id);
    arm_deadline(context);
  }
  context.send(server, std::move(request.message), request.via);
}

// ---- ends of requests ----

void ApiClient::finish(Context& context, std::uint64_t id, const ApiResult& result) {
  auto found = pending_.extract(id);
  if (!found.empty()) found.mapped().done(context, result);
}

void ApiClient::on_reply(Context& context, const Delivery& delivery, const api::ApiReply& reply) {
  connection_.heard(context, delivery.sender);
  // A reply after the client gave up is dropped: the caller was told 504.
  if (!pending_.contains(reply.request_id())) return;
  finish(context, reply.request_id(), result_of(reply, delivery.payload));
}

void ApiClient::arm_deadline(Context& context) {
  while (!deadlines_.empty() && !pending_.contains(deadlines_.front().second)) {
    deadlines_.pop_front();
  }
  if (deadline_armed_ || deadlines_.empty()) return;
  deadline_armed_ = true;
  timers_.after(context, std::max(Duration::zero(), deadlines_.front().first - context.now()),
                "request timeout", [this](Context& later) { expire(later); });
}

void ApiClient::expire(Context& context) {
  deadline_armed_ = false;
  std::vector<std::uint64_t> late;
  while (!deadlines_.empty() && deadlines_.front().first <= context.now()) {
    late.push_back(deadlines_.front().second);
    deadlines_.pop_front();
  }
  const ApiResult timeout = failure(504, "Timeout", "the request got no reply in time");
  for (const std::uint64_t id : late) finish(context, id, timeout);
  arm_deadline(context);
}

bool ApiClient::receive(Context& context, const Delivery& delivery) {
  if (delivery.timer != 0) return timers_.receive(context, delivery);
  if (const auto* event = delivery.as<api::WatchEvent>()) {
    return on_watch_event(context, delivery, *event);
  }
  if (const auto* reply = delivery.as<api::ApiReply>()) {
    if (!is_mine(reply->request_id())) return false;
    on_reply(context, delivery, *reply);
    return true;
  }
  if (const auto* renewed = delivery.as<api::NodeLeaseRenewed>()) {
    if (!is_mine(renewed->watch_id())) return false;
    connection_.heard(context, delivery.sender);
    if (renewed->watch_id() == lease_watch_) lease_handler_(context, renewed->node());
    return true;
  }
  if (const auto* reply = delivery.as<api::PingReply>()) {
    if (!is_mine(reply->connection())) return false;
    connection_.heard(context, delivery.sender);
    return true;
  }
  if (delivery.as<runtime::ConnectionRefused>() == nullptr) return false;
  const auto& attachments = delivery.payload.attachments();
  return !attachments.empty() && on_refused(context, attachments.front());
}

bool ApiClient::is_mine(std::uint64_t id) const {
  return id >> kChannelShift == static_cast<std::uint64_t>(options_.channel);
}

std::uint64_t ApiClient::connection_id() const {
  return (static_cast<std::uint64_t>(options_.channel) << kChannelShift) | connection_.number();
}

// A refusal of something that this connection carried breaks it; of an older connection's it says
// nothing new.
bool ApiClient::on_refused(Context& context, const Payload& refused) {
  if (const auto* request = refused.as<api::ApiRequest>()) {
    if (!is_mine(request->request_id())) return false;
    const auto found = pending_.find(request->request_id());
    if (found == pending_.end()) return true;
    if (found->second.connection == connection_.number()) reconnect(context);
    finish(context, request->request_id(),
           failure(503, "ConnectionRefused", "the API server refused the connection"));
    return true;
  }
  std::uint64_t connection = 0;
  if (const auto* watch = refused.as<api::WatchRequest>()) {
    if (!is_mine(watch->watch_id())) return false;
    if (watches_.contains(watch->watch_id())) reconnect(context);
    return true;
  }
  if (const auto* stop = refused.as<api::StopWatch>()) return is_mine(stop->watch_id());
  if (const auto* subscription = refused.as<api::SubscribeNodeLeases>()) {
    if (!is_mine(subscription->watch_id())) return false;
    if (subscription->watch_id() == lease_watch_) reconnect(context);
    return true;
  }
  if (const auto* ping = refused.as<api::Ping>()) {
    connection = ping->connection();
  } else if (const auto* renewal = refused.as<api::RenewNodeLease>()) {
    connection = renewal->connection();
  } else {
    return false;
  }
  if (!is_mine(connection)) return false;
  if (connection == connection_id()) reconnect(context);
  return true;
}

// ---- watches ----

std::uint64_t ApiClient::watch(Context& context, api::WatchRequest request,
                               WatchListener& listener) {
  const std::uint64_t id = ++last_id_;
  request.set_watch_id(id);
  watches_.emplace(id, &listener);
  const Via via{
      .link = Link::Api, .stream = id, .object = hash_bytes(request.kind()), .version = id};
  throttle(context, {Payload::of(std::move(request)), via, id, nullptr, context.now()});
  arm_health(context);
  return id;
}

void ApiClient::stop_watch(Context& context, std::uint64_t watch_id) {
  if (watches_.erase(watch_id) == 0) return;
  api::StopWatch stop;
  stop.set_watch_id(watch_id);
  const Via via{.link = Link::Api, .stream = watch_id, .version = watch_id};
  context.send(connection_.server(context), Payload::of(std::move(stop)), via);
}

bool ApiClient::on_watch_event(Context& context, const Delivery& delivery,
                               const api::WatchEvent& event) {
  if (!is_mine(event.watch_id())) return false;
  connection_.heard(context, delivery.sender);
  const auto found = watches_.find(event.watch_id());
  if (found == watches_.end()) return true;  // of a watch that was given up
  WatchListener& listener = *found->second;
  if (event.type() == api::WatchEvent::ERROR) watches_.erase(found);
  listener.on_watch_event(context, event, delivery.payload);
  return true;
}

void ApiClient::reconnect(Context& context) {
  std::vector<WatchListener*> broken;
  while (!watches_.empty()) {
    broken.push_back(watches_.begin()->second);
    stop_watch(context, watches_.begin()->first);
  }
  connection_.drop();
  for (WatchListener* listener : broken) listener->on_watch_broken(context);
  if (lease_handler_) send_lease_subscription(context);
}

void ApiClient::arm_health(Context& context) {
  if (health_armed_) return;
  health_armed_ = true;
  connection_.server(context);
  timers_.after(context, Connection::kIdle, "health check",
                [this](Context& later) { check_health(later); });
}

void ApiClient::check_health(Context& context) {
  health_armed_ = false;
  if (watches_.empty() && !lease_handler_) return;
  const Address& server = connection_.server(context);
  Connection::Check check = connection_.check(context.now());
  if (check.health == Connection::Health::SendPing) {
    api::Ping ping;
    ping.set_connection(connection_id());
    context.send(server, Payload::of(std::move(ping)), {.link = Link::Api});
  } else if (check.health == Connection::Health::Broken) {
    reconnect(context);
    check.next = context.now() + Connection::kIdle;
  }
  health_armed_ = true;
  timers_.after(context, check.next - context.now(), "health check",
                [this](Context& later) { check_health(later); });
}

// ---- node leases ----

void ApiClient::renew_node_lease(Context& context, const std::string& node) {
  api::RenewNodeLease renewal;
  renewal.set_node(node);
  const Address& server = connection_.server(context);
  renewal.set_connection(connection_id());
  context.send(server, Payload::of(std::move(renewal)), {.link = Link::Api});
}

void ApiClient::subscribe_node_leases(Context& context, LeaseHandler handler) {
  lease_handler_ = std::move(handler);
  send_lease_subscription(context);
  arm_health(context);
}

void ApiClient::send_lease_subscription(Context& context) {
  lease_watch_ = ++last_id_;
  api::SubscribeNodeLeases subscription;
  subscription.set_watch_id(lease_watch_);
  const Via via{.link = Link::Api, .stream = lease_watch_, .version = lease_watch_};
  context.send(connection_.server(context), Payload::of(std::move(subscription)), via);
}

}  // namespace troupe
