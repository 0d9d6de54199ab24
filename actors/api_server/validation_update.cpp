// What may not change in an object that exists.
#include "actors/api_server/object_fields.h"
#include "actors/api_server/validation.h"
#include "actors/api_server/validation_meta.h"
#include "actors/api_server/validation_pod.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/scheduling.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/same_message.h"
#include "messages/selector.h"

namespace troupe::apiserver {
namespace {

constexpr std::string_view kImmutable = "field is immutable";

void check_change(FieldErrors& errors, const k8s::Pod& after, const k8s::Pod& before) {
  validate_pod_update(errors, after, before);
}

template <class Workload>
void check_selector(FieldErrors& errors, const Workload& after, const Workload& before) {
  if (same_message(after.spec().selector(), before.spec().selector())) return;
  errors.push_back(
      invalid_value("spec.selector", selector_text(after.spec().selector()), kImmutable));
}

void check_change(FieldErrors& errors, const k8s::Deployment& after,
                  const k8s::Deployment& before) {
  check_selector(errors, after, before);
}

void check_change(FieldErrors& errors, const k8s::ReplicaSet& after,
                  const k8s::ReplicaSet& before) {
  check_selector(errors, after, before);
}

void check_change(FieldErrors& errors, const k8s::DaemonSet& after, const k8s::DaemonSet& before) {
  check_selector(errors, after, before);
}

/// What is left of a StatefulSet's spec without the fields that may change.
k8s::StatefulSetSpec fixed_part(k8s::StatefulSetSpec spec) {
  spec.clear_replicas();
  spec.clear_ordinals();
  spec.clear_template_();
  spec.clear_update_strategy();
  spec.clear_revision_history_limit();
  spec.clear_persistent_volume_claim_retention_policy();
  spec.clear_min_ready_seconds();
  return spec;
}

void check_change(FieldErrors& errors, const k8s::StatefulSet& after,
                  const k8s::StatefulSet& before) {
  if (same_message(fixed_part(after.spec()), fixed_part(before.spec()))) return;
  errors.push_back(
      forbidden_change("spec",
                       "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                       "'template', 'updateStrategy', "
                       "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
                       "'minReadySeconds' are forbidden"));
}

void check_change(FieldErrors& errors, const k8s::Job& after, const k8s::Job& before) {
  if (after.spec().completions() != before.spec().completions() &&
      after.spec().completion_mode() != "Indexed") {
    errors.push_back(
        invalid_value("spec.completions", std::to_string(after.spec().completions()), kImmutable));
  }
  check_selector(errors, after, before);
  // A suspended job that has not begun may still be given other scheduling directives.
  const bool may_change = before.spec().suspend() && !before.status().has_start_time();
  if (!may_change && !same_message(after.spec().template_(), before.spec().template_())) {
    errors.push_back(invalid_value("spec.template", "", kImmutable));
  }
}

void check_change(FieldErrors& errors, const k8s::PriorityClass& after,
                  const k8s::PriorityClass& before) {
  if (after.value() == before.value()) return;
  errors.push_back(forbidden_change("value", "may not be changed in an update."));
}

void check_change(FieldErrors& errors, const karpenter::NodeClaim& after,
                  const karpenter::NodeClaim& before) {
  if (same_message(after.spec(), before.spec())) return;
  errors.push_back(invalid_value("spec", "", "spec is immutable"));
}

void check_change(FieldErrors& errors, const k8s::ConfigMap& after, const k8s::ConfigMap& before) {
  if (!before.immutable()) return;
  k8s::ConfigMap fixed = after;
  *fixed.mutable_metadata() = before.metadata();
  if (same_message(fixed, before)) return;
  errors.push_back(forbidden_change("data", "field is immutable when `immutable` is set"));
}

template <class T>
bool check_change_as(FieldErrors& errors, const Message& after, const Message& before) {
  if (after.GetDescriptor() != T::descriptor()) return false;
  check_change(errors, static_cast<const T&>(after), static_cast<const T&>(before));
  return true;
}

template <class... Kinds>
void check_any_change(FieldErrors& errors, const Message& after, const Message& before) {
  static_cast<void>((check_change_as<Kinds>(errors, after, before) || ...));
}

}  // namespace

FieldErrors validate_update(const Message& after, const Message& before) {
  FieldErrors errors = validate_create(after);
  validate_meta_update(errors, meta_of(after), meta_of(before));
  check_any_change<k8s::Pod, k8s::Deployment, k8s::ReplicaSet, k8s::StatefulSet, k8s::DaemonSet,
                   k8s::Job, k8s::PriorityClass, karpenter::NodeClaim, k8s::ConfigMap>(
      errors, after, before);
  return errors;
}

}  // namespace troupe::apiserver
