// DELETE: at once, or after a pod's grace, or once the finalizers are gone; and the deletion that
// ends an eviction.
#include <algorithm>
#include <optional>
#include <utility>

#include "actors/api_server/mutation.h"
#include "messages/conditions.h"
#include "messages/k8s/pod.pb.h"
#include "messages/same_message.h"

namespace troupe::apiserver {
namespace {

constexpr std::string_view kForeground = "foregroundDeletion";  // metav1.FinalizerDeleteDependents
constexpr std::string_view kOrphan = "orphan";                  // metav1.FinalizerOrphanDependents

/// The finalizers that the propagation policy asks for and forbids, as registry/generic/registry
/// store.go sets them.
void apply_propagation(k8s::ObjectMeta& meta, const std::string& propagation) {
  if (propagation.empty()) return;
  const auto set = [&](std::string_view finalizer, bool wanted) {
    auto& finalizers = *meta.mutable_finalizers();
    const auto found = std::find(finalizers.begin(), finalizers.end(), finalizer);
    if (wanted && found == finalizers.end()) *finalizers.Add() = std::string(finalizer);
    if (!wanted && found != finalizers.end()) finalizers.erase(found);
  };
  set(kForeground, propagation == "Foreground");
  set(kOrphan, propagation == "Orphan");
}

/// registry/core/pod/strategy.go CheckGracefulDelete: a pod that no kubelet runs needs no grace.
std::int64_t grace_of(const k8s::Pod& pod, const api::ApiRequest& request) {
  if (pod.spec().node_name().empty()) return 0;
  if (pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed") return 0;
  const std::int64_t own = pod.spec().has_termination_grace_period_seconds()
                               ? pod.spec().termination_grace_period_seconds()
                               : 30;
  const std::int64_t wanted =
      request.has_grace_period_seconds() ? request.grace_period_seconds() : own;
  return wanted < 0 ? 1 : wanted;
}

/// Sets the moment of deletion; a second request may only bring it forward.
void mark(k8s::ObjectMeta& meta, SimTime now, std::int64_t grace_seconds) {
  const std::int64_t at = whole_second(now) + grace_seconds * std::nano::den;
  if (meta.has_deletion_timestamp()) {
    if (grace_seconds >= meta.deletion_grace_period_seconds()) return;
    meta.set_deletion_timestamp(std::min(meta.deletion_timestamp(), at));
  } else {
    meta.set_deletion_timestamp(at);
    raise_generation(meta);
  }
  meta.set_deletion_grace_period_seconds(grace_seconds);
}

/// The eviction API says in the pod why it goes.
void note_eviction(k8s::Pod& pod, SimTime now) {
  set_condition(*pod.mutable_status()->mutable_conditions(),
                {.type = "DisruptionTarget",
                 .status = "True",
                 .reason = "EvictionByEvictionAPI",
                 .message = "Eviction API: evicting"},
                from_ns(whole_second(now)));
}

}  // namespace

Decision decide_deletion(const Mutation& mutation, const Message& current) {
  std::unique_ptr<Message> after = copy_of(current);
  k8s::ObjectMeta& meta = *mutable_meta(*after);
  const auto* pod = current.GetDescriptor() == k8s::Pod::descriptor()
                        ? static_cast<const k8s::Pod*>(&current)
                        : nullptr;
  const std::int64_t grace = pod != nullptr ? grace_of(*pod, mutation.request) : 0;
  apply_propagation(meta, mutation.request.propagation());
  if (grace == 0 && meta.finalizers().empty()) return Decision::remove();
  if (mutation.request.verb() == api::EVICT) {
    note_eviction(static_cast<k8s::Pod&>(*after), mutation.now);
  }
  mark(meta, mutation.now, grace);
  if (same_message(*after, current)) return Decision::keep();
  return Decision::write(std::move(after));
}

}  // namespace troupe::apiserver
