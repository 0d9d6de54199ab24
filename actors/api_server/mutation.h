// What a write makes of an object: pure functions from the request and the object as it is to the
// object as it will be.
//
// The API server computes a write on the object that it knows and lets the store compare revisions.
// So a write may be computed again, on a newer object, and must depend on nothing but its
// arguments.
#pragma once

#include <cstdint>
#include <string>

#include "actors/api_server/object_fields.h"
#include "actors/api_server/status.h"
#include "actors/api_server/watch_cache.h"
#include "messages/api.pb.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe::apiserver {

/// A write to be decided.
struct Mutation {
  const api::ApiRequest& request;
  const Kind& kind;
  Payload body;            ///< the object in the request, if it has one
  std::uint64_t identity;  ///< of the request: uids and generated names come from it
  std::uint32_t attempt;   ///< of the write; a generated name that was taken is not tried again
  SimTime now;
  const WatchCache& cache;  ///< for admission
};

/// What to do.
struct Decision {
  enum class Kind { Refuse, Write, Remove, Keep };
  Kind kind = Kind::Refuse;
  Status status;                    ///< of a refusal
  std::unique_ptr<Message> object;  ///< to write

  static Decision refuse(Status status) { return {Kind::Refuse, std::move(status), nullptr}; }
  static Decision write(std::unique_ptr<Message> object) {
    return {Kind::Write, {}, std::move(object)};
  }
  static Decision remove() { return {Kind::Remove, {}, nullptr}; }
  /// Nothing changes: the answer is the object as it is.
  static Decision keep() { return {Kind::Keep, {}, nullptr}; }
};

/// Decides any write but CREATE on `current`, which is empty where the object does not exist.
[[nodiscard]] Decision decide(const Mutation& mutation, const Payload& current);
/// CREATE, and APPLY of an object that does not exist.
[[nodiscard]] Decision decide_create(const Mutation& mutation);
/// What CREATE would refuse of this object in any cluster: for those who read manifests.
[[nodiscard]] FieldErrors creation_errors(const Kind& kind, const Message& body);

// ---- the parts, one file each ----

/// UPDATE, patches and APPLY on an existing object (update.cpp).
[[nodiscard]] Decision decide_update(const Mutation& mutation, const Message& current);
/// UPDATE of the subresource "scale" (scale.cpp).
[[nodiscard]] Decision decide_scale(const Mutation& mutation, const Message& current);
/// BIND (binding.cpp).
[[nodiscard]] Decision decide_binding(const Mutation& mutation, const Message& current);
/// DELETE, and the deletion that ends an eviction (deletion.cpp).
[[nodiscard]] Decision decide_deletion(const Mutation& mutation, const Message& current);

/// Completes an update: defaults, validation, generation; removes the object if the change took its
/// last finalizer; keeps it if nothing changed.
[[nodiscard]] Decision finish_update(std::unique_ptr<Message> after, const Message& before);
/// Refuses where the request's preconditions (uid, resourceVersion) do not hold.
[[nodiscard]] Status check_preconditions(const Mutation& mutation, const k8s::ObjectMeta& current);
/// Adds one to a generation that is kept.
void raise_generation(k8s::ObjectMeta& meta);
/// Puts labels and annotations in order of their keys, as equal objects need.
void sort_maps(k8s::ObjectMeta& meta);
/// Kubernetes writes the times of metadata and conditions in whole seconds.
[[nodiscard]] std::int64_t whole_second(SimTime now);
/// A uid in UUID form.
[[nodiscard]] std::string make_uid(std::uint64_t identity);

}  // namespace troupe::apiserver
