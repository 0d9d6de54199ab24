#include "actors/workloads/deployment/replica_sets.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "actors/workloads/deployment/template_hash.h"
#include "actors/workloads/objects/owners.h"
#include "messages/int_or_string.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

/// apps/v1 SetDefaults_Deployment: 25 % for both.
constexpr IntOrPercent kDefaultFence{25, true};

template <class Number>
std::int64_t sum(const std::vector<ReplicaSetPtr>& sets, Number number) {
  std::int64_t total = 0;
  for (const ReplicaSetPtr& set : sets) total += set == nullptr ? 0 : number(*set);
  return total;
}

auto age_key(const ReplicaSetPtr& set) {
  return std::tuple(set->metadata().creation_timestamp(), std::string_view(set->metadata().name()));
}

}  // namespace

std::int64_t replicas_of(const k8s::Deployment& deployment) {
  return deployment.spec().has_replicas() ? deployment.spec().replicas() : 1;
}

std::int64_t replicas_of(const k8s::ReplicaSet& set) {
  return set.spec().has_replicas() ? set.spec().replicas() : 1;
}

bool is_rolling_update(const k8s::Deployment& deployment) {
  return deployment.spec().strategy().type() != "Recreate";
}

Fences fences_of(const k8s::Deployment& deployment) {
  if (!is_rolling_update(deployment)) return {};
  const k8s::RollingUpdate& update = deployment.spec().strategy().rolling_update();
  const std::int64_t replicas = replicas_of(deployment);
  Fences fences;
  fences.surge = scaled_or(update.max_surge(), kDefaultFence, replicas, Rounding::Up);
  fences.unavailable = scaled_or(update.max_unavailable(), kDefaultFence, replicas, Rounding::Down);
  if (fences.surge == 0 && fences.unavailable == 0) fences.unavailable = 1;
  fences.unavailable = std::min(fences.unavailable, replicas);
  return fences;
}

std::vector<ReplicaSetPtr> ReplicaSets::all() const {
  std::vector<ReplicaSetPtr> result = old;
  if (current != nullptr) result.push_back(current);
  return result;
}

ReplicaSets sorted(const k8s::Deployment& deployment, std::vector<ReplicaSetPtr> sets) {
  std::ranges::sort(sets, [](const auto& a, const auto& b) { return age_key(a) < age_key(b); });
  ReplicaSets result;
  for (ReplicaSetPtr& set : sets) {
    if (result.current == nullptr &&
        same_template(set->spec().template_(), deployment.spec().template_())) {
      result.current = std::move(set);
    } else {
      result.old.push_back(std::move(set));
    }
  }
  return result;
}

std::int64_t number_in(const k8s::ObjectMeta& meta, std::string_view annotation,
                       std::int64_t fallback) {
  const std::string* text = find_label(meta.annotations(), annotation);
  if (text == nullptr) return fallback;
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), number);
  return parsed.ec == std::errc{} ? number : fallback;
}

std::int64_t revision_of(const k8s::ReplicaSet& set) {
  return number_in(set.metadata(), kRevisionAnnotation, 0);
}

std::int64_t max_revision(const std::vector<ReplicaSetPtr>& sets) {
  std::int64_t revision = 0;
  for (const ReplicaSetPtr& set : sets) revision = std::max(revision, revision_of(*set));
  return revision;
}

bool annotate_replicas(k8s::ReplicaSet& set, const k8s::Deployment& deployment) {
  LabelMap& annotations = *set.mutable_metadata()->mutable_annotations();
  const std::int64_t replicas = replicas_of(deployment);
  const bool desired = set_label(annotations, kDesiredAnnotation, std::to_string(replicas));
  const bool most = set_label(annotations, kMaxAnnotation,
                              std::to_string(replicas + fences_of(deployment).surge));
  return desired || most;
}

std::int64_t wanted_replicas(const std::vector<ReplicaSetPtr>& sets) {
  return sum(sets, [](const k8s::ReplicaSet& set) { return replicas_of(set); });
}

std::int64_t actual_replicas(const std::vector<ReplicaSetPtr>& sets) {
  return sum(sets, [](const k8s::ReplicaSet& set) { return set.status().replicas(); });
}

std::int64_t ready_replicas(const std::vector<ReplicaSetPtr>& sets) {
  return sum(sets, [](const k8s::ReplicaSet& set) { return set.status().ready_replicas(); });
}

std::int64_t available_replicas(const std::vector<ReplicaSetPtr>& sets) {
  return sum(sets, [](const k8s::ReplicaSet& set) { return set.status().available_replicas(); });
}

k8s::ReplicaSet new_replica_set(const k8s::Deployment& deployment, std::int64_t replicas,
                                std::int64_t revision) {
  const k8s::PodTemplateSpec& pod_template = deployment.spec().template_();
  const std::string hash = template_hash(pod_template, deployment.status().collision_count());
  k8s::ReplicaSet set;
  k8s::ObjectMeta& meta = *set.mutable_metadata();
  meta.set_name(deployment.metadata().name() + "-" + hash);
  meta.set_namespace_(deployment.metadata().namespace_());
  *meta.mutable_labels() = pod_template.metadata().labels();
  set_label(*meta.mutable_labels(), kTemplateHashLabel, hash);
  *meta.mutable_annotations() = deployment.metadata().annotations();
  set_label(*meta.mutable_annotations(), kRevisionAnnotation, std::to_string(revision));
  *meta.add_owner_references() = controller_reference(deployment);
  k8s::ReplicaSetSpec& spec = *set.mutable_spec();
  spec.set_replicas(static_cast<std::int32_t>(replicas));
  *spec.mutable_selector() = deployment.spec().selector();
  set_label(*spec.mutable_selector()->mutable_match_labels(), kTemplateHashLabel, hash);
  *spec.mutable_template_() = pod_template;
  set_label(*spec.mutable_template_()->mutable_metadata()->mutable_labels(), kTemplateHashLabel,
            hash);
  if (deployment.spec().has_min_ready_seconds()) {
    spec.set_min_ready_seconds(deployment.spec().min_ready_seconds());
  }
  annotate_replicas(set, deployment);
  return set;
}

}  // namespace troupe::workloads
