#include "actors/workloads/replica_set/controller.h"

#include <algorithm>
#include <utility>

#include "actors/workloads/core/slow_start.h"
#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"
#include "actors/workloads/replica_set/ranking.h"
#include "messages/conditions.h"
#include "messages/same_message.h"
#include "messages/selector.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kReplicaFailure = "ReplicaFailure";

/// spec.replicas, 1 where it is unset: apps/v1 SetDefaults_ReplicaSet.
std::int64_t replicas_of(const k8s::ReplicaSet& set) {
  return set.spec().has_replicas() ? set.spec().replicas() : 1;
}

bool is_deleted(const k8s::ReplicaSet& set) {
  return set.metadata().has_deletion_timestamp();
}

}  // namespace

ReplicaSetController::ReplicaSetController(SharedInformers& informers,
                                           const ControllerOptions& options)
    : SyncingController(informers, options, "replicaset-controller") {
  informers.pods.on_add([this](Context& context, const PodPtr& pod) { on_pod(context, pod); });
  informers.pods.on_update([this](Context& context, const PodPtr& before, const PodPtr& after) {
    on_pod_change(context, before, after);
  });
  informers.pods.on_delete(
      [this](Context& context, const PodPtr& pod) { on_pod_gone(context, pod); });
  const auto look = [this](Context& context, const ReplicaSetPtr& set) {
    enqueue(context, path_of(set->metadata()));
  };
  informers.replica_sets.on_add(look);
  informers.replica_sets.on_update([look](Context& context, const ReplicaSetPtr&,
                                          const ReplicaSetPtr& set) { look(context, set); });
  informers.replica_sets.on_delete([this, look](Context& context, const ReplicaSetPtr& set) {
    expectations_.forget(path_of(set->metadata()));
    look(context, set);
  });
}

ReplicaSetController::ReplicaSetPtr ReplicaSetController::owner_of(const k8s::Pod& pod) const {
  const k8s::OwnerReference* owner = controller_of(pod.metadata());
  if (owner == nullptr || owner->kind() != "ReplicaSet") return nullptr;
  ReplicaSetPtr set = informers_.replica_sets.get(pod.metadata().namespace_(), owner->name());
  return set != nullptr && set->metadata().uid() == owner->uid() ? set : nullptr;
}

void ReplicaSetController::on_pod(Context& context, const PodPtr& pod) {
  if (is_terminating(*pod)) {  // after a restart the first that is seen of it
    on_pod_gone(context, pod);
  } else if (controller_of(pod->metadata()) == nullptr) {
    on_orphan(context, *pod);
  } else if (const ReplicaSetPtr set = owner_of(*pod)) {
    const std::string key = path_of(set->metadata());
    note_stray(*set, *pod);
    expectations_.creation_observed(key);
    enqueue(context, key);
  }
}

void ReplicaSetController::note_stray(const k8s::ReplicaSet& set, const k8s::Pod& pod) {
  if (matches(set.spec().selector(), pod.metadata().labels())) {
    strays_.erase(path_of(pod.metadata()));
  } else {
    strays_.insert(path_of(pod.metadata()));
  }
}

void ReplicaSetController::on_pod_change(Context& context, const PodPtr& before,
                                         const PodPtr& after) {
  // A pod that is told to end counts as gone: its replacement need not wait for it.
  if (is_terminating(*after)) {
    on_pod_gone(context, after);
    return;
  }
  if (controller_uid(before->metadata()) != controller_uid(after->metadata())) {
    if (const ReplicaSetPtr set = owner_of(*before)) enqueue(context, path_of(set->metadata()));
  }
  if (controller_of(after->metadata()) == nullptr) {
    on_orphan(context, *after);
    return;
  }
  const ReplicaSetPtr set = owner_of(*after);
  if (set == nullptr) return;
  const std::string key = path_of(set->metadata());
  note_stray(*set, *after);
  enqueue(context, key);
  const std::int32_t min_ready = set->spec().min_ready_seconds();
  if (min_ready > 0 && is_ready(*after) && !is_ready(*before)) {
    enqueue_after(context, key, std::chrono::seconds(min_ready + 1));
  }
}

void ReplicaSetController::on_pod_gone(Context& context, const PodPtr& pod) {
  strays_.erase(path_of(pod->metadata()));
  const ReplicaSetPtr set = owner_of(*pod);
  if (set == nullptr) return;
  const std::string key = path_of(set->metadata());
  expectations_.deletion_observed(key, pod->metadata().uid());
  enqueue(context, key);
}

void ReplicaSetController::on_orphan(Context& context, const k8s::Pod& pod) {
  for (const auto& [path, set] : informers_.replica_sets.cache()) {
    if (set->metadata().namespace_() == pod.metadata().namespace_() &&
        matches(set->spec().selector(), pod.metadata().labels())) {
      enqueue(context, path);
    }
  }
}

void ReplicaSetController::sync(Context& context, const std::string& key) {
  const ReplicaSetPtr set = informers_.replica_sets.get(key);
  if (set == nullptr) {
    expectations_.forget(key);
    finish(context, key);
    return;
  }
  Plan decided = plan(*set, key, context.now());
  const auto looked_at = static_cast<std::int64_t>(decided.create + decided.remove.size());
  after_deciding(context, looked_at, [this, key, set, decided](Context& later) {
    carry_out(later, key, set, decided);
  });
}

ReplicaSetController::Plan ReplicaSetController::plan(const k8s::ReplicaSet& set,
                                                      const std::string& key, SimTime now) const {
  Plan plan;
  if (is_deleted(set)) return plan;
  const auto selected = [&set](const k8s::Pod& pod) {
    return matches(set.spec().selector(), pod.metadata().labels());
  };
  for (const auto& [path, pod] :
       informers_.pods_by_owner.orphans_of(set.metadata().namespace_()).all()) {
    if (is_active(*pod) && selected(*pod)) plan.adopt.push_back(pod);
  }
  const OwnedPods& owned = informers_.pods_by_owner.owned_by(set.metadata().uid());
  for (const std::string& path : strays_) {
    const auto stray = owned.all().find(path);
    if (stray != owned.all().end()) plan.release.push_back(stray->second);
  }
  if (!expectations_.satisfied(key, now)) return plan;
  const std::int64_t have = owned.counts().active + static_cast<std::int64_t>(plan.adopt.size()) -
                            static_cast<std::int64_t>(plan.release.size());
  const std::int64_t missing = replicas_of(set) - have;
  if (missing > 0) {
    plan.create = std::min(static_cast<std::size_t>(missing), kBurstReplicas);
  } else if (missing < 0) {
    plan.remove =
        choose_deletions(set, std::min(static_cast<std::size_t>(-missing), kBurstReplicas), now);
  }
  return plan;
}

std::vector<PodPtr> ReplicaSetController::choose_deletions(const k8s::ReplicaSet& set,
                                                           std::size_t count, SimTime now) const {
  // Pods of the sets of one Deployment are each other's like.
  Colocation colocated;
  const std::string_view deployment = controller_uid(set.metadata());
  for (const auto& [path, other] : informers_.replica_sets.cache()) {
    const bool related = other->metadata().uid() == set.metadata().uid() ||
                         (!deployment.empty() && controller_uid(other->metadata()) == deployment);
    if (!related) continue;
    for (const auto& [pod_path, pod] :
         informers_.pods_by_owner.owned_by(other->metadata().uid()).all()) {
      if (is_active(*pod)) ++colocated[pod->spec().node_name()];
    }
  }
  std::vector<PodPtr> active;
  for (const auto& [path, pod] : informers_.pods_by_owner.owned_by(set.metadata().uid()).all()) {
    if (is_active(*pod)) active.push_back(pod);
  }
  return pods_to_delete(std::move(active), count, colocated, now);
}

void ReplicaSetController::carry_out(Context& context, const std::string& key,
                                     const ReplicaSetPtr& set, Plan plan) {
  for (const PodPtr& pod : plan.adopt) change_owner(context, set, *pod, true);
  for (const PodPtr& pod : plan.release) change_owner(context, set, *pod, false);
  if (plan.create > 0) {
    create(context, key, set, plan.create);
  } else if (!plan.remove.empty()) {
    remove(context, key, set, std::move(plan.remove));
  } else {
    update_status(context, key, {}, {});
  }
}

void ReplicaSetController::create(Context& context, const std::string& key,
                                  const ReplicaSetPtr& set, std::size_t count) {
  k8s::Pod pod = pod_of(set->spec().template_(), set->metadata().namespace_());
  pod.mutable_metadata()->set_generate_name(set->metadata().name() + "-");
  *pod.mutable_metadata()->add_owner_references() = controller_reference(*set);
  expectations_.expect_creations(key, static_cast<std::int64_t>(count), context.now());
  create_pods(api_, context, std::vector<k8s::Pod>(count, pod),
              {.each =
                   [this, key, set](Context& later, std::size_t, const ApiResult& result) {
                     if (const auto created = result.ok() ? result.as<k8s::Pod>() : nullptr) {
                       record(later, *set, "Normal", "SuccessfulCreate",
                              "Created pod: " + created->metadata().name());
                     } else if (!result.ok()) {
                       expectations_.creation_observed(key);
                       record(later, *set, "Warning", "FailedCreate",
                              "Error creating: " + result.message);
                     }
                   },
               .done =
                   [this, key](Context& later, const PodWrites::End& end) {
                     for (std::size_t i = 0; i < end.skipped; ++i)
                       expectations_.creation_observed(key);
                     update_status(later, key, "FailedCreate", end.error);
                   }});
}

void ReplicaSetController::remove(Context& context, const std::string& key,
                                  const ReplicaSetPtr& set, std::vector<PodPtr> pods) {
  std::set<std::string> uids;
  for (const PodPtr& pod : pods) uids.insert(pod->metadata().uid());
  expectations_.expect_deletions(key, std::move(uids), context.now());
  delete_pods(
      api_, context, pods,
      {.each =
           [this, key, set, pods](Context& later, std::size_t index, const ApiResult& result) {
             const k8s::ObjectMeta& meta = pods[index]->metadata();
             if (result.ok()) {
               record(later, *set, "Normal", "SuccessfulDelete", "Deleted pod: " + meta.name());
             } else {
               expectations_.deletion_observed(key, meta.uid());
             }
           },
       .done =
           [this, key](Context& later, const PodWrites::End& end) {
             update_status(later, key, "FailedDelete", end.error);
           }});
}

void ReplicaSetController::change_owner(Context& context, const ReplicaSetPtr& set,
                                        const k8s::Pod& pod, bool adopt) {
  k8s::Pod partial;
  partial.mutable_metadata()->set_name(pod.metadata().name());
  partial.mutable_metadata()->set_namespace_(pod.metadata().namespace_());
  auto& owners = *partial.mutable_metadata()->mutable_owner_references();
  for (const k8s::OwnerReference& owner : pod.metadata().owner_references()) {
    if (owner.uid() != set->metadata().uid()) *owners.Add() = owner;
  }
  if (adopt) *owners.Add() = controller_reference(*set);
  PatchOptions options{.resource_version = pod.metadata().resource_version()};
  if (owners.empty()) options.clear.emplace_back("metadata.ownerReferences");
  // The watch brings the result and with it another sync; a conflict too.
  api_.patch(context, std::move(partial), options, [](Context&, const ApiResult&) {});
}

k8s::ReplicaSetStatus ReplicaSetController::status_of(const k8s::ReplicaSet& set,
                                                      const std::string& reason,
                                                      const std::string& error, SimTime now) const {
  const OwnedPods& owned = informers_.pods_by_owner.owned_by(set.metadata().uid());
  const OwnedPods::Counts& counts = owned.counts();
  const std::int32_t min_ready = set.spec().min_ready_seconds();
  k8s::ReplicaSetStatus status = set.status();
  status.set_replicas(counts.active);
  // Its pods have the template's labels from birth.
  status.set_fully_labeled_replicas(counts.active);
  status.set_ready_replicas(counts.ready);
  status.set_available_replicas(counts.ready);
  if (min_ready > 0) {
    const auto available = std::ranges::count_if(owned.all(), [&](const auto& entry) {
      return is_active(*entry.second) && is_available(*entry.second, min_ready, now);
    });
    status.set_available_replicas(static_cast<std::int32_t>(available));
  }
  status.set_terminating_replicas(counts.terminating);
  status.set_observed_generation(set.metadata().generation());
  if (error.empty()) {
    remove_condition(*status.mutable_conditions(), kReplicaFailure);
  } else {
    set_condition(*status.mutable_conditions(), {kReplicaFailure, "True", reason, error}, now);
  }
  return status;
}

void ReplicaSetController::update_status(Context& context, const std::string& key,
                                         const std::string& reason, const std::string& error) {
  const bool ok = error.empty();
  const ReplicaSetPtr set = informers_.replica_sets.get(key);
  if (set == nullptr) {
    finish(context, key, ok);
    return;
  }
  k8s::ReplicaSet updated = *set;
  *updated.mutable_status() = status_of(*set, reason, error, context.now());
  const std::int32_t min_ready = set->spec().min_ready_seconds();
  const k8s::ReplicaSetStatus& status = updated.status();
  if (min_ready > 0 && status.ready_replicas() == replicas_of(*set) &&
      status.available_replicas() != replicas_of(*set)) {
    enqueue_after(context, key, std::chrono::seconds(min_ready));
  }
  if (same_message(status, set->status())) {
    finish(context, key, ok);
    return;
  }
  api_.update_status(context, std::move(updated),
                     [this, key, ok](Context& later, const ApiResult& result) {
                       finish(later, key, ok && (result.ok() || result.not_found()));
                     });
}

}  // namespace troupe::workloads
