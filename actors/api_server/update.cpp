// UPDATE, patches and APPLY: the new object keeps its identity, and its status is another resource.
#include <utility>

#include "actors/api_server/mutation.h"
#include "actors/api_server/strategic_patch.h"
#include "messages/merge_patch.h"
#include "messages/same_message.h"

namespace troupe::apiserver {
namespace {

/// What no client may set: it comes from the object as it is.
void keep_identity(k8s::ObjectMeta& after, const k8s::ObjectMeta& before) {
  after.set_name(before.name());
  if (before.has_namespace_()) after.set_namespace_(before.namespace_());
  after.set_uid(before.uid());
  after.set_resource_version(before.resource_version());
  after.set_creation_timestamp(before.creation_timestamp());
  after.set_generation(before.generation());
  after.clear_deletion_timestamp();
  if (before.has_deletion_timestamp()) after.set_deletion_timestamp(before.deletion_timestamp());
  after.clear_deletion_grace_period_seconds();
  if (before.has_deletion_grace_period_seconds()) {
    after.set_deletion_grace_period_seconds(before.deletion_grace_period_seconds());
  }
}

void overlay(api::Verb verb, Message& target, const Message& patch) {
  if (verb == api::MERGE_PATCH) {
    merge_patch(target, patch);
  } else {
    strategic_patch(target, patch);
  }
}

/// The object that the request describes, whole, before what it may not change is put back.
std::unique_ptr<Message> described(const Mutation& mutation, const Message& current) {
  const Message& body = mutation.body.message();
  if (mutation.request.verb() == api::UPDATE) return copy_of(body);
  std::unique_ptr<Message> after = copy_of(current);
  overlay(mutation.request.verb(), *after, body);
  return after;
}

/// Clears what the request's paths name, as far as they lie in the resource that it may change.
Status clear_paths(const Mutation& mutation, Message& after, bool of_status) {
  for (const std::string& path : mutation.request.clear_paths()) {
    if (of_status != path.starts_with("status")) continue;
    if (const auto cleared = clear_path(after, path); !cleared) {
      return bad_request(cleared.error().message);
    }
  }
  return {};
}

Decision decide_status_update(const Mutation& mutation, const Message& current) {
  const Message& body = mutation.body.message();
  std::unique_ptr<Message> after = copy_of(current);
  if (mutation.request.verb() == api::UPDATE) {
    take_status(*after, body);
  } else {
    std::unique_ptr<Message> status_alone(body.New());
    take_status(*status_alone, body);
    overlay(mutation.request.verb(), *after, *status_alone);
  }
  if (Status refused = clear_paths(mutation, *after, true)) {
    return Decision::refuse(std::move(refused));
  }
  if (same_message(*after, current)) return Decision::keep();
  return Decision::write(std::move(after));
}

}  // namespace

Decision decide_update(const Mutation& mutation, const Message& current) {
  if (mutation.request.subresource() == "status") {
    if (fields_of(current).status != nullptr) return decide_status_update(mutation, current);
    return Decision::refuse(not_found(mutation.kind, mutation.request.key().name()));
  }
  std::unique_ptr<Message> after = described(mutation, current);
  if (Status refused = clear_paths(mutation, *after, false)) {
    return Decision::refuse(std::move(refused));
  }
  keep_identity(*mutable_meta(*after), meta_of(current));
  take_status(*after, current);
  return finish_update(std::move(after), current);
}

}  // namespace troupe::apiserver
