#include "actors/api_server/api_server_actor.h"

#include <utility>

#include "actors/api_client/object_key.h"
#include "actors/api_server/status.h"
#include "actors/api_server/store_actor.h"
#include "messages/hash.h"

namespace troupe::apiserver {
namespace {

constexpr std::string_view kStorePath = "apiserver/0/store";

}  // namespace

ApiServerActor::ApiServerActor(Options options)
    : options_(std::move(options)),
      store_(address_of(kStorePath)),
      cache_(options_.cache),
      desk_(cache_, store_) {}

void ApiServerActor::start(Context& context) {
  if (options_.replica == 0) {
    StoreActor::Options store{options_.cache.compaction, std::move(options_.preload)};
    context.spawn(std::string(kStorePath), std::make_unique<StoreActor>(std::move(store)));
  }
  subscribe(context);
  if (options_.replica != 0) check_progress(context);
  send_bookmarks(context);
}

void ApiServerActor::receive(Context& context, const Delivery& delivery) {
  if (delivery.timer != 0) {
    if (!timers_.receive(context, delivery)) desk_.receive(context, delivery);
    return;
  }
  if (from_store(context, delivery) || on_fault(context, delivery)) return;
  if (delivery.as<runtime::ConnectionRefused>() != nullptr) {
    on_refused(context, delivery);
  } else if (cache_.ready()) {
    from_client(context, delivery);
  } else if (parked_.size() < kMaxParked) {
    parked_.push_back(delivery);
  }
}

// ---- the store ----

bool ApiServerActor::from_store(Context& context, const Delivery& delivery) {
  if (delivery.sender.any() != store_) return false;
  if (const auto* reply = delivery.as<api::StoreTxnReply>()) {
    desk_.on_txn_reply(context, delivery, *reply);
    return true;
  }
  if (const auto* reply = delivery.as<api::StoreReadReply>()) {
    desk_.on_read_reply(context, delivery, *reply);
    return true;
  }
  if (delivery.as<runtime::ConnectionRefused>() != nullptr) return false;
  // What an earlier subscription still brings is on an older stream: a gap might hide behind it.
  if (delivery.stream != stream_) return true;
  store_heard_ = context.now();
  if (const auto* event = delivery.as<api::StoreEvent>()) {
    on_store_event(context, delivery.payload, *event);
  } else if (const auto* snapshot = delivery.as<api::StoreSnapshot>()) {
    on_snapshot(context, delivery.payload, snapshot->revision());
  } else if (const auto* renewed = delivery.as<api::NodeLeaseRenewed>()) {
    on_lease_renewed(context, renewed->node());
  }
  return true;
}

void ApiServerActor::subscribe(Context& context) {
  api::StoreSubscribe subscription;
  subscription.set_after_revision(cache_.ready() ? cache_.revision() : 0);
  subscription.set_lag_ns(options_.lag.count());
  subscription.set_stream(++stream_);
  store_heard_ = context.now();
  context.send(store_, Payload::of(std::move(subscription)),
               {.link = Link::Api, .version = stream_});
}

void ApiServerActor::check_progress(Context& context) {
  if (context.now() - store_heard_ > 2 * kProgressPeriod) subscribe(context);
  api::StoreProgressRequest request;
  request.set_stream(stream_);
  context.send(store_, Payload::of(std::move(request)), {.link = Link::Api});
  timers_.after(context, kProgressPeriod, "store progress",
                [this](Context& later) { check_progress(later); });
}

// Whoever watched across the gap must list again: nobody can tell him what he missed.
void ApiServerActor::on_snapshot(Context& context, const Payload& snapshot, std::int64_t revision) {
  cache_.reset(revision, snapshot.attachments());
  for (const Watcher& watcher : hub_.clear()) {
    send_error(context, watcher.client, watcher.watch_id, 410);
  }
  desk_.on_cache_advanced(context);
  for (const Delivery& delivery : std::exchange(parked_, {})) from_client(context, delivery);
}

void ApiServerActor::on_store_event(Context& context, const Payload& payload,
                                    const api::StoreEvent& event) {
  const auto& attachments = payload.attachments();
  CachedEvent cached{event.revision(), event.type(), attachments.front(), {}, context.now()};
  if (attachments.size() > 1) cached.previous = attachments[1];
  const Kind* kind = find_kind(event.key().kind());
  if (!cache_.apply(event.key().kind(), path_of(event.key()), cached)) return;
  hub_.publish(*kind, cached, [&](const Watcher& watcher, const SeenEvent& seen) {
    send_event(context, watcher, seen, cached.revision);
  });
  desk_.on_cache_advanced(context);
}

// ---- clients ----

void ApiServerActor::from_client(Context& context, const Delivery& delivery) {
  if (disturbances_.none() || !disturbed(context, delivery)) handle(context, delivery);
}

void ApiServerActor::handle(Context& context, const Delivery& delivery) {
  if (const auto* request = delivery.as<api::ApiRequest>()) {
    desk_.handle(context, delivery, *request);
  } else if (delivery.as<api::RenewNodeLease>() != nullptr) {
    context.send(store_, delivery.payload, {.link = Link::Api});
  } else if (const auto* watch = delivery.as<api::WatchRequest>()) {
    clients_[delivery.sender] = context.now();
    begin_watch(context, delivery, *watch);
  } else if (const auto* stop = delivery.as<api::StopWatch>()) {
    hub_.remove(delivery.sender, stop->watch_id());
    lease_watches_.erase({delivery.sender, stop->watch_id()});
  } else if (const auto* subscription = delivery.as<api::SubscribeNodeLeases>()) {
    clients_[delivery.sender] = context.now();
    lease_watches_.insert({delivery.sender, subscription->watch_id()});
  } else if (const auto* ping = delivery.as<api::Ping>()) {
    clients_[delivery.sender] = context.now();
    api::PingReply reply;
    reply.set_connection(ping->connection());
    context.send(delivery.sender, Payload::of(std::move(reply)), {.link = Link::Api});
  }
}

void ApiServerActor::on_refused(Context& context, const Delivery& delivery) {
  if (delivery.sender.any() == store_) {
    for (const Payload& refused : delivery.payload.attachments()) {
      desk_.on_store_refused(context, refused);
    }
    return;
  }
  forget_client(delivery.sender);
}

void ApiServerActor::forget_client(const Address& client) {
  hub_.remove_client(client);
  clients_.erase(client);
  const auto first = lease_watches_.lower_bound({client, 0});
  auto last = first;
  while (last != lease_watches_.end() && last->first == client) ++last;
  lease_watches_.erase(first, last);
}

void ApiServerActor::forget_silent_clients(SimTime now) {
  std::vector<Address> silent;
  for (const auto& [client, heard] : clients_) {
    if (heard + kClientSilence < now) silent.push_back(client);
  }
  for (const Address& client : silent) forget_client(client);
}

void ApiServerActor::on_lease_renewed(Context& context, const std::string& node) {
  for (const auto& [client, watch_id] : lease_watches_) {
    api::NodeLeaseRenewed renewed;
    renewed.set_node(node);
    renewed.set_watch_id(watch_id);
    context.send(client, Payload::of(std::move(renewed)),
                 {.link = Link::Watch, .stream = watch_id, .object = hash_bytes(node)});
  }
}

// ---- watches ----

void ApiServerActor::begin_watch(Context& context, const Delivery& delivery,
                                 const api::WatchRequest& request) {
  const Kind* kind = find_kind(request.kind());
  if (kind == nullptr) return send_error(context, delivery.sender, request.watch_id(), 404);
  auto selector = ObjectSelector::of(*kind, request);
  if (!selector) return send_error(context, delivery.sender, request.watch_id(), 400);
  const std::int64_t after = revision_of(request.resource_version());
  if (after != 0 && after < cache_.oldest(kind->name, context.now())) {
    return send_error(context, delivery.sender, request.watch_id(), 410);
  }
  Watcher watcher{delivery.sender, request.watch_id(), kind, std::move(*selector), after};
  if (after == 0) {
    send_initial(context, watcher);
  } else {
    send_since(context, watcher, after);
  }
  watcher.after = std::max(after, cache_.revision());
  hub_.add(std::move(watcher));
}

void ApiServerActor::send_initial(Context& context, const Watcher& watcher) {
  for (const auto& [path, object] : cache_.objects(watcher.kind->name)) {
    if (!watcher.selector.matches(object.message())) continue;
    const std::int64_t revision = revision_of(meta_of(object.message()).resource_version());
    send_event(context, watcher, {api::WatchEvent::ADDED, object}, revision);
  }
}

void ApiServerActor::send_since(Context& context, const Watcher& watcher, std::int64_t revision) {
  cache_.for_each_since(watcher.kind->name, revision, [&](const CachedEvent& event) {
    if (const auto seen = seen_by(watcher, event)) {
      send_event(context, watcher, *seen, event.revision);
    }
  });
}

void ApiServerActor::send_event(Context& context, const Watcher& watcher, const SeenEvent& seen,
                                std::int64_t revision) {
  api::WatchEvent event;
  event.set_watch_id(watcher.watch_id);
  event.set_type(seen.type);
  event.set_resource_version(std::to_string(revision));
  const k8s::ObjectMeta& meta = meta_of(seen.object.message());
  const Via via{
      .link = Link::Watch,
      .stream = watcher.watch_id,
      .object = mix(hash_bytes(meta.namespace_()), hash_bytes(meta.name()), watcher.watch_id),
      .version = static_cast<std::uint64_t>(revision)};
  context.send(watcher.client, Payload::of(std::move(event), {seen.object}), via);
}

void ApiServerActor::send_error(Context& context, const Address& client, std::uint64_t watch_id,
                                int code) {
  api::WatchEvent event;
  event.set_watch_id(watch_id);
  event.set_type(api::WatchEvent::ERROR);
  event.set_code(code);
  context.send(client, Payload::of(std::move(event)), {.link = Link::Watch, .stream = watch_id});
}

// A bookmark tells a quiet watcher how far the world has moved, so that it can resume from there.
void ApiServerActor::send_bookmarks(Context& context) {
  timers_.after(context, options_.bookmark_period, "bookmarks", [this](Context& later) {
    ++bookmarks_;
    forget_silent_clients(later.now());
    desk_.forget_old(later.now());
    hub_.for_each([&](const Watcher& watcher) {
      api::WatchEvent event;
      event.set_watch_id(watcher.watch_id);
      event.set_type(api::WatchEvent::BOOKMARK);
      event.set_resource_version(std::to_string(std::max(cache_.revision(), watcher.after)));
      later.send(watcher.client, Payload::of(std::move(event)),
                 {.link = Link::Watch,
                  .stream = watcher.watch_id,
                  .object = watcher.watch_id,
                  .version = bookmarks_});
    });
    send_bookmarks(later);
  });
}

}  // namespace troupe::apiserver
