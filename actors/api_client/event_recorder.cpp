#include "actors/api_client/event_recorder.h"

#include <array>
#include <charconv>
#include <utility>

#include "messages/facts.pb.h"
#include "messages/hash.h"
#include "messages/k8s/core.pb.h"

namespace troupe {
namespace {

/// Events about cluster-scoped objects lie in this namespace.
constexpr std::string_view kClusterNamespace = "default";

std::string namespace_of(const k8s::ObjectMeta& meta) {
  return meta.namespace_().empty() ? std::string(kClusterNamespace) : meta.namespace_();
}

std::string hex(std::uint64_t value) {
  std::array<char, 16> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return {digits.data(), end};
}

}  // namespace

EventRecorder::EventRecorder(ApiClient& client, std::string component, bool write)
    : client_(client), component_(std::move(component)), write_(write) {}

void EventRecorder::record(Context& context, const google::protobuf::Message& object,
                           const EventText& text) {
  const api::ObjectKey key = key_of(object);
  const std::string about = key.kind() + "/" + path_of(key);
  facts::ObjectEventRecorded fact;
  fact.set_object(about);
  fact.set_type(text.type);
  fact.set_reason(text.reason);
  fact.set_message(text.message);
  context.emit(Payload::of(std::move(fact)));
  if (!write_) return;

  const std::string group = about + "|" + text.type + "|" + text.reason;
  const EventText shown{text.type, text.reason, aggregate(group, text, context.now())};
  const bool is_aggregate = shown.message != text.message;
  const std::string same = is_aggregate ? group : group + "|" + text.message;
  const auto [at, is_new] = recorded_.try_emplace(same);
  Recorded& recorded = at->second;
  ++recorded.count;
  if (is_new) {
    recorded.name = meta_of(object).name() + "." + hex(mix(context.self().actor, ++created_));
    order_.push_back(same);
  }
  if (allowed(about, context.now())) {
    if (is_new) {
      create(context, object, shown, recorded.name);
    } else {
      count(context, namespace_of(meta_of(object)), recorded);
    }
  }
  forget_oldest();
}

std::string EventRecorder::aggregate(const std::string& group, const EventText& text, SimTime now) {
  Similar& similar = similar_[group];
  if (now - similar.last > kSimilarInterval) similar.messages.clear();
  similar.last = now;
  if (similar.messages.size() < kSimilarMessages) similar.messages.insert(text.message);
  if (similar.messages.contains(text.message)) return text.message;
  return "(combined from similar events): " + text.message;
}

bool EventRecorder::allowed(const std::string& about, SimTime now) {
  TokenBucket& bucket = allowance_.try_emplace(about, kSpamQps, kSpamBurst).first->second;
  if (!bucket.ready(now)) return false;
  bucket.take(now);
  return true;
}

void EventRecorder::create(Context& context, const google::protobuf::Message& object,
                           const EventText& text, const std::string& name) {
  const k8s::ObjectMeta& meta = meta_of(object);
  const Kind* kind = find_kind(*object.GetDescriptor());
  k8s::ObjectEvent event;
  event.mutable_metadata()->set_name(name);
  event.mutable_metadata()->set_namespace_(namespace_of(meta));
  k8s::ObjectReference& involved = *event.mutable_involved_object();
  involved.set_kind(std::string(kind->name));
  involved.set_api_version(std::string(kind->versions.front()));
  involved.set_name(meta.name());
  if (!meta.namespace_().empty()) involved.set_namespace_(meta.namespace_());
  involved.set_uid(meta.uid());
  involved.set_resource_version(meta.resource_version());
  event.set_type(text.type);
  event.set_reason(text.reason);
  event.set_message(text.message);
  event.set_count(1);
  event.set_first_timestamp(to_ns(context.now()));
  event.set_last_timestamp(to_ns(context.now()));
  event.mutable_source()->set_component(component_);
  client_.create(context, std::move(event), [](Context&, const ApiResult&) {});
}

void EventRecorder::count(Context& context, const std::string& name_space,
                          const Recorded& recorded) {
  k8s::ObjectEvent partial;
  partial.mutable_metadata()->set_name(recorded.name);
  partial.mutable_metadata()->set_namespace_(name_space);
  partial.set_count(recorded.count);
  partial.set_last_timestamp(to_ns(context.now()));
  client_.patch(context, std::move(partial), {}, [](Context&, const ApiResult&) {});
}

// client-go keeps these in LRU caches of the same size; the oldest stand in for the least used.
void EventRecorder::forget_oldest() {
  if (order_.size() > kRemembered) {
    recorded_.erase(order_.front());
    order_.pop_front();
  }
  if (similar_.size() > kRemembered) similar_.clear();
  if (allowance_.size() > kRemembered) allowance_.clear();
}

}  // namespace troupe
