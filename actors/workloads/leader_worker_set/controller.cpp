#include "actors/workloads/leader_worker_set/controller.h"

#include <utility>

#include "messages/facts.pb.h"
#include "messages/labels.h"
#include "messages/same_message.h"

namespace troupe::workloads {
namespace {

/// Who declares the gang, in the facts.
constexpr const char* kDeclaredBy = "LeaderWorkerSet";

}  // namespace

LeaderWorkerSetController::LeaderWorkerSetController(SharedInformers& informers,
                                                     const ControllerOptions& options)
    : SyncingController(informers, options, "leaderworkerset") {
  const auto look = [this](Context& context, const SetPtr& set) {
    enqueue(context, path_of(set->metadata()));
  };
  informers.leader_worker_sets.on_add(look);
  informers.leader_worker_sets.on_update(
      [look](Context& context, const SetPtr&, const SetPtr& after) { look(context, after); });
  informers.leader_worker_sets.on_delete(look);
  informers.pods.on_add([this](Context& context, const PodPtr& pod) {
    on_pod(context, *pod);
    declare(context, *pod);
  });
  informers.pods.on_update([this](Context& context, const PodPtr& before, const PodPtr& after) {
    on_pod(context, *after);
    // After a re-list, a pod of the same name may be another one.
    if (before->metadata().uid() != after->metadata().uid()) declare(context, *after);
  });
  informers.pods.on_delete([this](Context& context, const PodPtr& pod) { on_pod(context, *pod); });
}

void LeaderWorkerSetController::start(Context& context) {
  SyncingController::start(context);
  started_ = true;
  for (const auto& [path, pod] : informers_.pods.cache()) declare(context, *pod);
}

void LeaderWorkerSetController::on_pod(Context& context, const k8s::Pod& pod) {
  const std::string* name = find_label(pod.metadata().labels(), kSetNameLabel);
  if (name != nullptr) enqueue(context, pod.metadata().namespace_() + "/" + *name);
}

void LeaderWorkerSetController::sync(Context& context, const std::string& key) {
  const SetPtr set = informers_.leader_worker_sets.get(key);
  if (set == nullptr) {
    finish(context, key);
    return;
  }
  const auto plan = std::make_shared<const LwsPlan>(
      plan_leader_worker_set(*set, informers_.pods_by_owner, context.now()));
  const std::int64_t pods = std::int64_t{plan->status.replicas()} * size_of(*set);
  after_deciding(context, pods,
                 [this, key, set, plan](Context& later) { remove_groups(later, key, set, plan); });
}

void LeaderWorkerSetController::remove_groups(Context& context, const std::string& key,
                                              const SetPtr& set, const PlanPtr& plan) {
  // Nobody waits for the answers: the pods' own changes bring the next sync.
  for (const LwsPlan::Removal& removal : plan->remove) {
    const DeleteOptions options{.uid = removal.leader->metadata().uid(),
                                .propagation = "Foreground"};
    api_.remove(context, key_of(*removal.leader), options,
                [this, set, removal](Context& later, const ApiResult& result) {
                  if (!result.ok()) return;
                  const std::string& leader = removal.leader->metadata().name();
                  if (removal.for_good) {
                    facts::GangDissolved fact;
                    fact.set_gang(gang_of(*set, removal.group));
                    later.emit(Payload::of(std::move(fact)));
                  }
                  if (removal.because.empty()) return;
                  record(later, *set, "Normal", "RecreateGroup",
                         "Worker pod " + removal.because + " failed, deleted leader pod " + leader +
                             " to recreate group " + std::to_string(removal.group));
                });
  }
  replace_pods(context, key, set, plan);
}

void LeaderWorkerSetController::replace_pods(Context& context, const std::string& key,
                                             const SetPtr& set, const PlanPtr& plan) {
  delete_pods(
      api_, context, plan->replace,
      {.each = [](Context&, std::size_t, const ApiResult&) {},
       .done = [this, key, set, plan](Context& later,
                                      const PodWrites::End&) { create(later, key, set, plan); }});
}

void LeaderWorkerSetController::create(Context& context, const std::string& key, const SetPtr& set,
                                       const PlanPtr& plan) {
  create_pods(api_, context, plan->create,
              {.each =
                   [this, set, plan](Context& later, std::size_t index, const ApiResult& result) {
                     on_created(later, *set, plan->create[index], result);
                   },
               .done =
                   [this, key, set, plan](Context& later, const PodWrites::End& end) {
                     update_status(later, key, set, plan, end.ok());
                   }});
}

void LeaderWorkerSetController::on_created(Context& context, const lws::LeaderWorkerSet& set,
                                           const k8s::Pod& asked, const ApiResult& result) {
  if (const auto pod = result.ok() ? result.as<k8s::Pod>() : nullptr) {
    if (label_or(pod->metadata().labels(), kWorkerIndexLabel) == "0") {
      record(context, set, "Normal", "GroupsProgressing",
             "Created leader pod " + pod->metadata().name());
    }
  } else if (!result.already_exists()) {
    record(context, set, "Warning", "FailedCreate",
           "Failed to create pod " + asked.metadata().name() + ": " + result.message);
  }
}

void LeaderWorkerSetController::declare(Context& context, const k8s::Pod& pod) {
  const LabelMap& labels = pod.metadata().labels();
  const SetPtr set = informers_.leader_worker_sets.get(pod.metadata().namespace_(),
                                                       label_or(labels, kSetNameLabel));
  if (!started_ || set == nullptr) return;
  const std::string gang = pod.metadata().namespace_() + "/" + set->metadata().name() + "-" +
                           std::string(label_or(labels, kGroupIndexLabel));
  if (label_or(labels, kWorkerIndexLabel) == "0") {
    facts::GangDeclared declared;
    declared.set_gang(gang);
    declared.set_by(kDeclaredBy);
    declared.add_sub_groups()->set_minimum(static_cast<std::uint32_t>(size_of(*set)));
    context.emit(Payload::of(std::move(declared)));
  }
  facts::GangMember member;
  member.set_gang(gang);
  member.set_uid(pod.metadata().uid());
  member.set_by(kDeclaredBy);
  context.emit(Payload::of(std::move(member)));
}

void LeaderWorkerSetController::update_status(Context& context, const std::string& key,
                                              const SetPtr& set, const PlanPtr& plan, bool ok) {
  if (same_message(plan->status, set->status())) {
    finish(context, key, ok);
    return;
  }
  lws::LeaderWorkerSet updated = *set;
  *updated.mutable_status() = plan->status;
  api_.update_status(context, std::move(updated),
                     [this, key, ok](Context& later, const ApiResult& result) {
                       finish(later, key, ok && (result.ok() || result.not_found()));
                     });
}

}  // namespace troupe::workloads
