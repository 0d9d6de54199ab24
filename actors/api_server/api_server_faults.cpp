// What befalls an API server: faults that disturb its requests, its cache and its watches.

#include "actors/api_server/api_server_actor.h"
#include "messages/hash.h"

namespace troupe::apiserver {

bool ApiServerActor::on_fault(Context& context, const Delivery& delivery) {
  if (const auto* disturb = delivery.as<fault::DisturbRequests>()) {
    disturbances_.change(*disturb);
  } else if (const auto* lag = delivery.as<fault::LagCache>()) {
    // The stream of another lag begins where the cache is.
    options_.lag = Duration(lag->lag_ns());
    subscribe(context);
  } else if (const auto* end = delivery.as<fault::EndWatches>()) {
    end_watches(context, *end);
  } else {
    return false;
  }
  return true;
}

// A watch that is only dropped is resumed by its client from the last version that it saw.
void ApiServerActor::end_watches(Context& context, const fault::EndWatches& end) {
  constexpr int kClosed = 500;
  constexpr int kGone = 410;
  if (end.expire()) cache_.compact(end.kind());
  const Kind* kind = find_kind(end.kind());
  for (const Watcher& watcher : kind == nullptr ? hub_.clear() : hub_.clear(*kind)) {
    send_error(context, watcher.client, watcher.watch_id, end.expire() ? kGone : kClosed);
  }
}

// True if that was the end of it for now: refused, or to be looked at later.
bool ApiServerActor::disturbed(Context& context, const Delivery& delivery) {
  RequestAttributes attributes;
  const auto* request = delivery.as<api::ApiRequest>();
  const auto* watch = delivery.as<api::WatchRequest>();
  const auto* lease = delivery.as<api::RenewNodeLease>();
  if (request != nullptr) {
    attributes = attributes_of(*request, delivery.sender);
  } else if (watch != nullptr) {
    attributes = {"watch", watch->kind(), watch->namespace_(), "",
                  mix(delivery.sender.actor, delivery.sender.incarnation, watch->watch_id())};
  } else if (lease != nullptr) {
    attributes = {"update", "Lease", "kube-node-lease", lease->node(),
                  mix(delivery.sender.actor, static_cast<std::uint64_t>(to_ns(context.now())))};
  } else {
    return false;
  }
  const Disturbances::Verdict verdict = disturbances_.judge(context, attributes);
  if (verdict.refusal) {
    if (request != nullptr) RequestDesk::refuse(context, delivery, *request, verdict.refusal);
    if (watch != nullptr) {
      send_error(context, delivery.sender, watch->watch_id(), verdict.refusal.code);
    }
    return true;
  }
  if (verdict.delay == Duration::zero() || watch != nullptr) return false;
  timers_.after(context, verdict.delay, "disturbed request",
                [this, delivery](Context& later) { handle(later, delivery); });
  return true;
}

}  // namespace troupe::apiserver
