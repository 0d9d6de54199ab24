#include "actors/api_server/mutation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "actors/api_server/defaults.h"
#include "actors/api_server/validation.h"
#include "messages/hash.h"
#include "messages/same_message.h"

namespace troupe::apiserver {

Decision decide(const Mutation& mutation, const Payload& current) {
  const api::ApiRequest& request = mutation.request;
  if (!current) {
    if (request.verb() == api::APPLY) return decide_create(mutation);
    return Decision::refuse(not_found(mutation.kind, request.key().name()));
  }
  const Message& object = current.message();
  if (Status failed = check_preconditions(mutation, meta_of(object))) {
    return Decision::refuse(std::move(failed));
  }
  switch (request.verb()) {
    case api::BIND:
      return decide_binding(mutation, object);
    case api::DELETE:
    case api::EVICT:
      return decide_deletion(mutation, object);
    default:
      break;
  }
  if (request.subresource() == "scale") return decide_scale(mutation, object);
  return decide_update(mutation, object);
}

Status check_preconditions(const Mutation& mutation, const k8s::ObjectMeta& current) {
  const api::ApiRequest& request = mutation.request;
  std::string uid = request.precondition_uid();
  std::string version = request.precondition_version();
  if (mutation.body) {
    const k8s::ObjectMeta& meta = meta_of(mutation.body.message());
    if (uid.empty()) uid = meta.uid();
    if (version.empty()) version = meta.resource_version();
  }
  if (!uid.empty() && uid != current.uid()) {
    return wrong_uid(mutation.kind, request.key().name(), uid, current.uid());
  }
  if (!version.empty() && version != current.resource_version()) {
    return stale(mutation.kind, request.key().name());
  }
  return {};
}

Decision finish_update(std::unique_ptr<Message> after, const Message& before) {
  const KindFields& fields = fields_of(before);
  sort_maps(*mutable_meta(*after));
  apply_defaults(*after);
  const k8s::ObjectMeta& meta = meta_of(*after);
  if (FieldErrors errors = validate_update(*after, before); !errors.empty()) {
    return Decision::refuse(invalid(*fields.kind, meta.name(), errors));
  }
  if (!same_field(*after, before, fields.spec)) raise_generation(*mutable_meta(*after));
  // The deletion waited for the last finalizer only; a pod's grace is the kubelet's to end.
  const bool leaving = meta.has_deletion_timestamp() && meta.deletion_grace_period_seconds() == 0;
  if (leaving && meta.finalizers().empty()) return Decision::remove();
  if (same_message(*after, before)) return Decision::keep();
  return Decision::write(std::move(after));
}

void raise_generation(k8s::ObjectMeta& meta) {
  meta.set_generation(meta.generation() + 1);
}

void sort_maps(k8s::ObjectMeta& meta) {
  const auto by_key = [](const k8s::KeyValue& a, const k8s::KeyValue& b) {
    return a.key() < b.key();
  };
  for (auto* map : {meta.mutable_labels(), meta.mutable_annotations()}) {
    if (!std::is_sorted(map->begin(), map->end(), by_key)) {
      std::stable_sort(map->begin(), map->end(), by_key);
    }
  }
}

std::int64_t whole_second(SimTime now) {
  return to_ns(std::chrono::floor<std::chrono::seconds>(now));
}

std::string make_uid(std::uint64_t identity) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const std::array<std::uint64_t, 2> words = {mix(identity, 1), mix(identity, 2)};
  std::string uid;
  for (int digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) uid.push_back('-');
    const std::uint64_t word = words[static_cast<std::size_t>(digit / 16)];
    uid.push_back(kDigits[(word >> (4 * (digit % 16))) & 15]);
  }
  return uid;
}

}  // namespace troupe::apiserver
