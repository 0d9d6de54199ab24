#include "actors/api_client/reflector.h"

#include <algorithm>

#include "messages/hash.h"

namespace troupe {
namespace {

/// How the API server begins its message when its cache has not reached the version asked for.
constexpr std::string_view kTooLarge = "Too large resource version";

}  // namespace

api::FieldSelector field_is(std::string_view field, std::string_view value) {
  api::FieldSelector selector;
  selector.set_field(field.data(), field.size());
  selector.set_value(value.data(), value.size());
  return selector;
}

api::LabelRequirement label_in(std::string_view key, std::vector<std::string> values) {
  api::LabelRequirement requirement;
  requirement.set_key(key.data(), key.size());
  requirement.set_operator_("In");
  for (std::string& value : values) requirement.add_values(std::move(value));
  return requirement;
}

Reflector::Reflector(ApiClient& client, std::string_view kind, InformerOptions options)
    : client_(client), kind_(kind), options_(std::move(options)) {}

void Reflector::start(Context& context) {
  if (options_.resync > Duration::zero()) arm_resync(context);
  list(context);
}

void Reflector::list(Context& context) {
  ++lists_;
  ListOptions request{.kind = kind_, .name_space = options_.name_space};
  request.fields = options_.fields;
  request.labels = options_.labels;
  if (!version_expired_) request.resource_version = version_.empty() ? "0" : version_;
  client_.list(context, request,
               [this](Context& later, const ApiResult& result) { on_list(later, result); });
}

void Reflector::on_list(Context& context, const ApiResult& result) {
  if (!result.ok()) {
    const bool unknown_version = result.expired() || result.message.starts_with(kTooLarge);
    if (unknown_version && !version_expired_) {
      version_expired_ = true;
      list(context);
      return;
    }
    retry(context, &Reflector::list);
    return;
  }
  version_expired_ = false;
  version_ = result.resource_version;
  replace(context, result.items);
  if (!synced_) {
    synced_ = true;
    first_synced(context);
  }
  watch(context);
}

void Reflector::replace(Context& context, const std::vector<Payload>& items) {
  std::set<std::string> present;
  for (const Payload& item : items) {
    std::string path = path_of_object(item);
    set(context, path, item);
    present.insert(std::move(path));
  }
  for (const std::string& path : paths()) {
    if (!present.contains(path)) erase(context, path, {});
  }
}

void Reflector::watch(Context& context) {
  api::WatchRequest request;
  request.set_kind(kind_);
  request.set_namespace_(options_.name_space);
  request.set_resource_version(version_);
  for (const auto& field : options_.fields) *request.add_fields() = field;
  for (const auto& label : options_.labels) *request.add_labels() = label;
  last_event_ = context.now();
  watch_id_ = client_.watch(context, std::move(request), *this);
  arm_silence(context, kSilence);
}

void Reflector::on_watch_event(Context& context, const api::WatchEvent& event,
                               const Payload& payload) {
  if (event.watch_id() != watch_id_) return;
  last_event_ = context.now();
  if (event.type() == api::WatchEvent::ERROR) {
    watch_id_ = 0;
    version_expired_ = event.code() == 410;
    retry(context, version_expired_ ? &Reflector::list : &Reflector::watch);
    return;
  }
  version_ = event.resource_version();
  if (event.type() == api::WatchEvent::BOOKMARK) return;
  const Payload& object = payload.attachments().front();
  if (event.type() == api::WatchEvent::DELETED) {
    erase(context, path_of_object(object), object);
  } else {
    set(context, path_of_object(object), object);
  }
}

void Reflector::on_watch_broken(Context& context) {
  watch_id_ = 0;
  retry(context, &Reflector::watch);
}

// Exponential, jittered up to twice its length, and back to the start after a quiet while.
void Reflector::retry(Context& context, void (Reflector::*step)(Context&)) {
  if (context.now() - last_retry_ > kBackoffReset) failures_ = 0;
  last_retry_ = context.now();
  const Duration backoff = std::min(kBackoffMax, kBackoffMin * (std::int64_t{1} << failures_));
  if (backoff < kBackoffMax) ++failures_;
  const std::uint64_t draw =
      context.random("reflector backoff", mix(hash_bytes(kind_), ++retries_));
  const auto jitter = static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(backoff.count()));
  client_.timers().after(context, backoff + Duration(jitter), "list and watch backoff",
                         [this, step](Context& later) { (this->*step)(later); });
}

void Reflector::arm_silence(Context& context, Duration delay) {
  client_.timers().after(context, delay, "watch silence", [this, id = watch_id_](Context& later) {
    if (id != watch_id_) return;
    const Duration rest = last_event_ + kSilence - later.now();
    if (rest > Duration::zero()) {
      arm_silence(later, rest);
      return;
    }
    client_.stop_watch(later, watch_id_);
    on_watch_broken(later);
  });
}

void Reflector::arm_resync(Context& context) {
  client_.timers().after(context, options_.resync, "resync", [this](Context& later) {
    resync(later);
    arm_resync(later);
  });
}

}  // namespace troupe
