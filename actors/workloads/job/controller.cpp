#include "actors/workloads/job/controller.h"

#include <utility>

#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"
#include "messages/same_message.h"

namespace troupe::workloads {
namespace {

/// When a Job that is over may be deleted; nothing if it is to stay.
std::optional<SimTime> end_of_life(const k8s::Job& job) {
  if (!job.spec().has_ttl_seconds_after_finished()) return std::nullopt;
  for (const std::string_view type : {"Complete", "Failed"}) {
    const k8s::Condition* condition = find_condition(job.status().conditions(), type);
    if (condition == nullptr || condition->status() != "True") continue;
    return from_ns(condition->last_transition_time()) +
           std::chrono::seconds(job.spec().ttl_seconds_after_finished());
  }
  return std::nullopt;
}

/// Another controller may have claimed the Job: Kueue does, for Jobs that run in another cluster.
bool is_foreign(const k8s::Job& job) {
  const std::string& by = job.spec().managed_by();
  return !by.empty() && by != "kubernetes.io/job-controller";
}

/// DefaultJobApiBackOff and MaxJobApiBackOff; its queue has no limit over all Jobs.
constexpr WorkQueueOptions kQueue{
    .backoff_min = std::chrono::seconds(1), .backoff_max = std::chrono::minutes(1), .retry_qps = 0};

}  // namespace

JobController::JobController(SharedInformers& informers, const ControllerOptions& options)
    : SyncingController(informers, options, "job-controller", kQueue) {
  const auto look = [this](Context& context, const JobPtr& job) {
    enqueue(context, path_of(job->metadata()));
  };
  informers.jobs.on_add(look);
  informers.jobs.on_update([this](Context& context, const JobPtr& before, const JobPtr& after) {
    on_job_change(context, before, after);
  });
  informers.jobs.on_delete([this, look](Context& context, const JobPtr& job) {
    expectations_.forget(path_of(job->metadata()));
    memory_.erase(job->metadata().uid());
    look(context, job);
  });
  informers.pods.on_add(
      [this](Context& context, const PodPtr& pod) { on_pod(context, *pod, true); });
  informers.pods.on_update([this](Context& context, const PodPtr&, const PodPtr& after) {
    on_pod(context, *after, false);
  });
  informers.pods.on_delete(
      [this](Context& context, const PodPtr& pod) { on_pod_gone(context, *pod); });
}

JobController::JobPtr JobController::owner_of(const k8s::Pod& pod) const {
  const k8s::OwnerReference* owner = controller_of(pod.metadata());
  if (owner == nullptr || owner->kind() != "Job") return nullptr;
  JobPtr job = informers_.jobs.get(pod.metadata().namespace_(), owner->name());
  return job != nullptr && job->metadata().uid() == owner->uid() ? job : nullptr;
}

void JobController::enqueue_batched(Context& context, const std::string& key) {
  enqueue_after(context, key, kJobBatchPeriod);
}

void JobController::on_job_change(Context& context, const JobPtr& before, const JobPtr& after) {
  const std::string key = path_of(after->metadata());
  if (before->metadata().generation() == after->metadata().generation()) {
    enqueue_batched(context, key);
  } else {
    enqueue(context, key);
  }
}

void JobController::on_pod(Context& context, const k8s::Pod& pod, bool created) {
  if (is_terminating(pod)) {
    on_pod_gone(context, pod);
    return;
  }
  const JobPtr job = owner_of(pod);
  if (job == nullptr) return;
  const std::string key = path_of(job->metadata());
  if (created) expectations_.creation_observed(key);
  enqueue_batched(context, key);
}

void JobController::on_pod_gone(Context& context, const k8s::Pod& pod) {
  const JobPtr job = owner_of(pod);
  if (job == nullptr) return;
  const std::string key = path_of(job->metadata());
  expectations_.deletion_observed(key, pod.metadata().uid());
  enqueue_batched(context, key);
}

void JobController::sync(Context& context, const std::string& key) {
  const JobPtr job = informers_.jobs.get(key);
  if (job == nullptr || job->metadata().has_deletion_timestamp()) {
    finish(context, key);
    return;
  }
  if (is_finished(*job)) {
    forget_after_its_time(context, key, job);
    return;
  }
  if (is_foreign(*job)) {
    finish(context, key);
    return;
  }
  const OwnedPods& pods = informers_.pods_by_owner.owned_by(job->metadata().uid());
  const bool settled = expectations_.satisfied(key, context.now());
  const auto plan = std::make_shared<JobPlan>(
      plan_job(*job, pods, memory_[job->metadata().uid()], settled, context.now()));
  if (plan->again) enqueue_after(context, key, *plan->again);
  after_deciding(context, static_cast<std::int64_t>(pods.all().size()),
                 [this, key, job, plan](Context& later) {
                   if (!plan->create.empty()) {
                     create(later, key, job, plan);
                   } else if (!plan->remove.empty()) {
                     remove(later, key, job, plan);
                   } else {
                     update_status(later, key, job, plan, true);
                   }
                 });
}

void JobController::forget_after_its_time(Context& context, const std::string& key,
                                          const JobPtr& job) {
  const std::optional<SimTime> due = end_of_life(*job);
  if (due && *due > context.now()) enqueue_after(context, key, *due - context.now());
  if (!due || *due > context.now()) {
    finish(context, key);
    return;
  }
  api_.remove(context, key_of(*job), {.uid = job->metadata().uid(), .propagation = "Foreground"},
              [this, key](Context& later, const ApiResult& result) {
                finish(later, key, result.ok() || result.not_found());
              });
}

void JobController::create(Context& context, const std::string& key, const JobPtr& job,
                           const PlanPtr& plan) {
  std::vector<k8s::Pod> pods;
  for (const std::int32_t index : plan->create) pods.push_back(pod_for(*job, index));
  expectations_.expect_creations(key, static_cast<std::int64_t>(pods.size()), context.now());
  create_pods(api_, context, std::move(pods),
              {.each =
                   [this, key, job, plan](Context& later, std::size_t, const ApiResult& result) {
                     if (const auto pod = result.ok() ? result.as<k8s::Pod>() : nullptr) {
                       plan->status.set_active(plan->status.active() + 1);
                       record(later, *job, "Normal", "SuccessfulCreate",
                              "Created pod: " + pod->metadata().name());
                     } else if (!result.ok()) {
                       expectations_.creation_observed(key);
                       record(later, *job, "Warning", "FailedCreate",
                              "Error creating: " + result.message);
                     }
                   },
               .done =
                   [this, key, job, plan](Context& later, const PodWrites::End& end) {
                     for (std::size_t i = 0; i < end.skipped; ++i) {
                       expectations_.creation_observed(key);
                     }
                     update_status(later, key, job, plan, end.ok());
                   }});
}

void JobController::remove(Context& context, const std::string& key, const JobPtr& job,
                           const PlanPtr& plan) {
  std::set<std::string> uids;
  for (const PodPtr& pod : plan->remove) uids.insert(pod->metadata().uid());
  if (plan->dismiss) memory_[job->metadata().uid()].dismissed.insert(uids.begin(), uids.end());
  expectations_.expect_deletions(key, std::move(uids), context.now());
  delete_pods(
      api_, context, plan->remove,
      {.each =
           [this, key, job, plan](Context& later, std::size_t index, const ApiResult& result) {
             on_removed(later, job, *plan, plan->remove[index], result);
           },
       .done = [this, key, job, plan](
                   Context& later,
                   const PodWrites::End& end) { update_status(later, key, job, plan, end.ok()); }});
}

void JobController::on_removed(Context& context, const JobPtr& job, JobPlan& plan,
                               const PodPtr& pod, const ApiResult& result) {
  const std::string& uid = pod->metadata().uid();
  if (result.ok()) {
    plan.status.set_active(plan.status.active() - 1);
    plan.status.set_terminating(plan.status.terminating() + 1);
    if (is_ready(*pod)) plan.status.set_ready(plan.status.ready() - 1);
    record(context, *job, "Normal", "SuccessfulDelete", "Deleted pod: " + pod->metadata().name());
    return;
  }
  expectations_.deletion_observed(path_of(job->metadata()), uid);
  const auto memory = memory_.find(job->metadata().uid());
  if (!result.not_found() && memory != memory_.end()) memory->second.dismissed.erase(uid);
}

void JobController::update_status(Context& context, const std::string& key, const JobPtr& job,
                                  const PlanPtr& plan, bool ok) {
  if (same_message(plan->status, job->status())) {
    finish(context, key, ok);
    return;
  }
  k8s::Job updated = *job;
  *updated.mutable_status() = plan->status;
  api_.update_status(context, std::move(updated),
                     [this, key, job, plan, ok](Context& later, const ApiResult& result) {
                       if (result.ok()) {
                         for (const EventText& event : plan->events) {
                           record(later, *job, event.type, event.reason, event.message);
                         }
                       }
                       finish(later, key, ok && (result.ok() || result.not_found()));
                     });
}

}  // namespace troupe::workloads
