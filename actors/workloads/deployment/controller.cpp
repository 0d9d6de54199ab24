#include "actors/workloads/deployment/controller.h"

#include <algorithm>
#include <utility>

#include "actors/workloads/deployment/progress.h"
#include "actors/workloads/deployment/template_hash.h"
#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"
#include "messages/labels.h"
#include "messages/same_message.h"

namespace troupe::workloads {
namespace {

std::string scaled_message(const ReplicaSetPtr& set, std::int64_t from, std::int64_t to) {
  return std::string("Scaled ") + (to > from ? "up" : "down") + " replica set " +
         set->metadata().name() + " from " + std::to_string(from) + " to " + std::to_string(to);
}

}  // namespace

DeploymentController::DeploymentController(SharedInformers& informers,
                                           const ControllerOptions& options)
    : SyncingController(informers, options, "deployment-controller") {
  const auto look = [this](Context& context, const DeploymentPtr& deployment) {
    enqueue(context, path_of(deployment->metadata()));
  };
  informers.deployments.on_add(look);
  informers.deployments.on_update([look](Context& context, const DeploymentPtr&,
                                         const DeploymentPtr& after) { look(context, after); });
  informers.deployments.on_delete(look);
  informers.replica_sets.on_add([this](Context& context, const ReplicaSetPtr& set) {
    sets_by_owner_[std::string(controller_uid(set->metadata()))][path_of(set->metadata())] = set;
    on_replica_set(context, set);
  });
  informers.replica_sets.on_update(
      [this](Context& context, const ReplicaSetPtr& before, const ReplicaSetPtr& set) {
        const std::string path = path_of(set->metadata());
        sets_by_owner_[std::string(controller_uid(before->metadata()))].erase(path);
        sets_by_owner_[std::string(controller_uid(set->metadata()))][path] = set;
        on_replica_set(context, set);
      });
  informers.replica_sets.on_delete([this](Context& context, const ReplicaSetPtr& set) {
    sets_by_owner_[std::string(controller_uid(set->metadata()))].erase(path_of(set->metadata()));
    on_replica_set(context, set);
  });
  informers.pods.on_delete(
      [this](Context& context, const PodPtr& pod) { on_pod_gone(context, *pod); });
}

void DeploymentController::on_replica_set(Context& context, const ReplicaSetPtr& set) {
  const k8s::OwnerReference* owner = controller_of(set->metadata());
  if (owner == nullptr || owner->kind() != "Deployment") return;
  const DeploymentPtr deployment =
      informers_.deployments.get(set->metadata().namespace_(), owner->name());
  if (deployment != nullptr && deployment->metadata().uid() == owner->uid()) {
    enqueue(context, path_of(deployment->metadata()));
  }
}

void DeploymentController::on_pod_gone(Context& context, const k8s::Pod& pod) {
  // Only Recreate waits for pods; everything else is told by the ReplicaSets.
  const k8s::OwnerReference* owner = controller_of(pod.metadata());
  if (owner == nullptr || owner->kind() != "ReplicaSet") return;
  const ReplicaSetPtr set = informers_.replica_sets.get(pod.metadata().namespace_(), owner->name());
  const k8s::OwnerReference* top = set == nullptr ? nullptr : controller_of(set->metadata());
  if (top == nullptr) return;
  const DeploymentPtr deployment =
      informers_.deployments.get(pod.metadata().namespace_(), top->name());
  if (deployment != nullptr && !is_rolling_update(*deployment)) {
    enqueue(context, path_of(deployment->metadata()));
  }
}

ReplicaSets DeploymentController::sets_of(const k8s::Deployment& deployment) const {
  std::vector<ReplicaSetPtr> sets;
  const auto owned = sets_by_owner_.find(deployment.metadata().uid());
  if (owned != sets_by_owner_.end()) {
    for (const auto& [path, set] : owned->second) sets.push_back(set);
  }
  return sorted(deployment, std::move(sets));
}

bool DeploymentController::old_pods_run(const ReplicaSets& sets) const {
  return std::ranges::any_of(sets.old, [this](const ReplicaSetPtr& set) {
    const OwnedPods& pods = informers_.pods_by_owner.owned_by(set->metadata().uid());
    return std::ranges::any_of(pods.all(),
                               [](const auto& entry) { return !is_terminal(*entry.second); });
  });
}

void DeploymentController::sync(Context& context, const std::string& key) {
  auto pass = std::make_shared<Pass>();
  pass->key = key;
  pass->deployment = informers_.deployments.get(key);
  if (pass->deployment == nullptr) {
    finish(context, key);
    return;
  }
  pass->sets = sets_of(*pass->deployment);
  decide(*pass);
  after_deciding(context, 0, [this, pass](Context& later) {
    if (pass->create) {
      create(later, pass);
    } else {
      resize_next(later, pass);
    }
  });
}

void DeploymentController::decide(Pass& pass) const {
  const k8s::Deployment& deployment = *pass.deployment;
  if (deployment.metadata().has_deletion_timestamp()) return;
  if (deployment.spec().paused() || is_scaling(deployment, pass.sets)) {
    pass.resizes = scale_step(deployment, pass.sets);
    return;
  }
  pass.rollout = true;
  const std::int64_t revision = max_revision(pass.sets.old) + 1;
  const bool old_run = !is_rolling_update(deployment) && old_pods_run(pass.sets);
  if (pass.sets.current == nullptr) {
    if (!is_rolling_update(deployment))
      pass.resizes = recreate_step(deployment, pass.sets, old_run);
    if (pass.resizes.empty() && !old_run) {
      pass.create = new_replica_set(deployment, new_set_size(deployment, pass.sets), revision);
    }
    return;
  }
  pass.resizes = is_rolling_update(deployment) ? rolling_step(deployment, pass.sets)
                                               : recreate_step(deployment, pass.sets, old_run);
  // A template that was there before is current again: it becomes the newest revision.
  if (pass.resizes.empty() && revision_of(*pass.sets.current) < revision) {
    pass.resizes.push_back({pass.sets.current, replicas_of(*pass.sets.current)});
  }
  if (is_complete(deployment, deployment.status()))
    pass.drop = history_to_drop(deployment, pass.sets);
}

void DeploymentController::create(Context& context, const PassPtr& pass) {
  api_.create(context, *pass->create, [this, pass](Context& later, const ApiResult& result) {
    on_created(later, pass, result);
  });
}

void DeploymentController::on_created(Context& context, const PassPtr& pass,
                                      const ApiResult& result) {
  const k8s::Deployment& deployment = *pass->deployment;
  k8s::DeploymentStatus status = deployment.status();
  if (const ReplicaSetPtr set = result.ok() ? result.as<k8s::ReplicaSet>() : nullptr) {
    if (replicas_of(*set) > 0) {
      record(context, deployment, "Normal", "ScalingReplicaSet",
             scaled_message(set, 0, replicas_of(*set)));
    }
    status = counted_status(deployment, pass->sets, context.now());
    note_progress(status, "NewReplicaSetCreated",
                  "Created new replica set \"" + set->metadata().name() + "\"", context.now());
    write_status(context, pass, std::move(status));
    return;
  }
  const std::string path = path_of(pass->create->metadata());
  const ReplicaSetPtr there = informers_.replica_sets.get(path);
  if (result.already_exists() && there != nullptr &&
      !same_template(there->spec().template_(), deployment.spec().template_())) {
    // Another template of the same hash has the name: the next try hashes to another one.
    status.set_collision_count(status.collision_count() + 1);
    write_status(context, pass, std::move(status));
    return;
  }
  finish(context, pass->key,
         false);  // also where the set exists and the watch has not shown it yet
}

void DeploymentController::resize_next(Context& context, const PassPtr& pass) {
  if (pass->next == pass->resizes.size()) {
    pass->next = 0;
    drop_next(context, pass);
    return;
  }
  const Resize& change = pass->resizes[pass->next++];
  k8s::ReplicaSet set = *change.set;
  const std::int64_t before = replicas_of(set);
  set.mutable_spec()->set_replicas(static_cast<std::int32_t>(change.replicas));
  annotate_replicas(set, *pass->deployment);
  const bool is_current = change.set == pass->sets.current;
  if (is_current) {
    const std::int64_t revision = std::max(revision_of(set), max_revision(pass->sets.old) + 1);
    set_label(*set.mutable_metadata()->mutable_annotations(), kRevisionAnnotation,
              std::to_string(revision));
  }
  if (same_message(set, *change.set)) {
    resize_next(context, pass);
    return;
  }
  api_.update(context, std::move(set),
              [this, pass, change, before](Context& later, const ApiResult& result) {
                if (!result.ok()) {
                  finish(later, pass->key, false);
                  return;
                }
                if (before != change.replicas) {
                  record(later, *pass->deployment, "Normal", "ScalingReplicaSet",
                         scaled_message(change.set, before, change.replicas));
                }
                resize_next(later, pass);
              });
}

void DeploymentController::drop_next(Context& context, const PassPtr& pass) {
  if (pass->next == pass->drop.size()) {
    update_status(context, pass);
    return;
  }
  const ReplicaSetPtr& set = pass->drop[pass->next++];
  api_.remove(context, key_of(*set), {},
              [this, pass](Context& later, const ApiResult&) { drop_next(later, pass); });
}

void DeploymentController::update_status(Context& context, const PassPtr& pass) {
  k8s::DeploymentStatus status = counted_status(*pass->deployment, pass->sets, context.now());
  if (pass->rollout) {
    const auto again = update_progress(*pass->deployment, pass->sets, status, context.now());
    if (again) enqueue_after(context, pass->key, *again);
  }
  write_status(context, pass, std::move(status));
}

void DeploymentController::write_status(Context& context, const PassPtr& pass,
                                        k8s::DeploymentStatus status) {
  if (same_message(status, pass->deployment->status())) {
    finish(context, pass->key);
    return;
  }
  k8s::Deployment updated = *pass->deployment;
  *updated.mutable_status() = std::move(status);
  api_.update_status(context, std::move(updated),
                     [this, pass](Context& later, const ApiResult& result) {
                       finish(later, pass->key, result.ok() || result.not_found());
                     });
}

}  // namespace troupe::workloads
