#include "actors/workloads/job/plan.h"

#include <algorithm>
#include <map>
#include <string>

#include "actors/workloads/core/slow_start.h"
#include "actors/workloads/job/indexes.h"
#include "actors/workloads/objects/owners.h"
#include "actors/workloads/objects/pods.h"
#include "actors/workloads/replica_set/ranking.h"
#include "messages/conditions.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

/// batch/v1 SetDefaults_Job.
constexpr std::int32_t kDefaultBackoffLimit = 6;

constexpr std::string_view kFailing = "FailureTarget";
constexpr std::string_view kSucceeding = "SuccessCriteriaMet";

std::int32_t parallelism_of(const k8s::Job& job) {
  return job.spec().has_parallelism() ? job.spec().parallelism() : 1;
}

/// Restarts count against the limit where the kubelet restarts containers itself. They reach it
/// where failed pods must exceed it, except for a limit of 0.
bool too_many_restarts(const k8s::Job& job, const OwnedPods& pods, std::int32_t limit) {
  if (job.spec().template_().spec().restart_policy() != "OnFailure") return false;
  std::int32_t total = 0;
  for (const auto& [path, pod] : pods.all()) {
    if (is_terminal(*pod)) continue;
    total += restarts(*pod);
    for (const auto& status : pod->status().init_container_statuses()) {
      total += status.restart_count();
    }
  }
  return limit == 0 ? total > 0 : total >= limit;
}

/// How a Job ends.
struct Outcome {
  bool success = false;
  std::string reason;
  std::string message;
};

/// The end that an earlier sync has decided on, with pods of it still there.
std::optional<Outcome> decided(const k8s::JobStatus& status) {
  for (const std::string_view type : {kSucceeding, kFailing}) {
    const k8s::Condition* condition = find_condition(status.conditions(), type);
    if (condition == nullptr || condition->status() != "True") continue;
    return Outcome{type == kSucceeding, condition->reason(), condition->message()};
  }
  return std::nullopt;
}

std::optional<SimTime> deadline_of(const k8s::Job& job, const k8s::JobStatus& status) {
  if (!job.spec().has_active_deadline_seconds() || !status.has_start_time() ||
      job.spec().suspend()) {
    return std::nullopt;
  }
  return from_ns(status.start_time()) + std::chrono::seconds(job.spec().active_deadline_seconds());
}

std::optional<Outcome> failure_of(const k8s::Job& job, const OwnedPods& pods,
                                  const k8s::JobStatus& status, SimTime now) {
  const std::int32_t limit =
      job.spec().has_backoff_limit() ? job.spec().backoff_limit() : kDefaultBackoffLimit;
  if (status.failed() > limit || too_many_restarts(job, pods, limit)) {
    return Outcome{false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  const auto deadline = deadline_of(job, status);
  if (deadline && now >= *deadline) {
    return Outcome{false, "DeadlineExceeded", "Job was active longer than specified deadline"};
  }
  return std::nullopt;
}

std::optional<Outcome> success_of(const k8s::Job& job, const k8s::JobStatus& status) {
  // Without a number of completions the pods agree among themselves when the work is done.
  const bool complete = job.spec().has_completions()
                            ? status.succeeded() >= job.spec().completions()
                            : status.succeeded() > 0 && status.active() == 0;
  if (!complete) return std::nullopt;
  return Outcome{true, "CompletionsReached", "Reached expected number of succeeded pods"};
}

std::vector<PodPtr> active_pods(const OwnedPods& pods) {
  std::vector<PodPtr> active;
  for (const auto& [path, pod] : pods.all()) {
    if (is_active(*pod)) active.push_back(pod);
  }
  return active;
}

void note_end(const k8s::Job& job, const Outcome& outcome, JobPlan& plan) {
  if (!outcome.success) {
    plan.events.push_back({"Warning", outcome.reason, outcome.message});
    return;
  }
  if (job.spec().has_completions() && plan.status.succeeded() > job.spec().completions()) {
    plan.events.push_back({"Warning", "TooManySucceededPods",
                           "Too many succeeded pods running after completion count reached"});
  }
  plan.events.push_back({"Normal", "Completed", "Job completed"});
}

/// The end is announced when it is decided and final when no pod of the Job is left that could
/// still run (delayTerminalCondition, on since 1.31).
void plan_end(const k8s::Job& job, const OwnedPods& pods, const Outcome& outcome, JobPlan& plan,
              SimTime now) {
  auto& conditions = *plan.status.mutable_conditions();
  const std::string_view announced = outcome.success ? kSucceeding : kFailing;
  set_condition(conditions, {announced, "True", outcome.reason, outcome.message}, now);
  if (!plan.remove.empty() || pods.counts().terminating > 0) return;
  const std::string_view last = outcome.success ? "Complete" : "Failed";
  set_condition(conditions, {last, "True", outcome.reason, outcome.message}, now);
  if (outcome.success) plan.status.set_completion_time(to_ns(now));
  note_end(job, outcome, plan);
}

std::int32_t wanted_active(const k8s::Job& job, const k8s::JobStatus& status) {
  if (!job.spec().has_completions()) {
    return status.succeeded() > 0 ? status.active() : parallelism_of(job);
  }
  return std::min(parallelism_of(job), std::max(job.spec().completions() - status.succeeded(), 0));
}

/// The smallest indexes that no pod has and that are not done.
std::vector<std::int32_t> free_indexes(const k8s::Job& job, const OwnedPods& pods,
                                       const Indexes& done, std::size_t count) {
  Indexes taken = done;
  for (const PodPtr& pod : active_pods(pods)) taken.insert(index_of(*pod));
  std::vector<std::int32_t> result;
  for (std::int32_t index = 0; index < job.spec().completions() && result.size() < count; ++index) {
    if (!taken.contains(index)) result.push_back(index);
  }
  return result;
}

Indexes completed_indexes(const k8s::Job& job, const OwnedPods& pods) {
  Indexes done = parse_indexes(job.status().completed_indexes());
  for (const auto& [path, pod] : pods.all()) {
    if (pod->status().phase() == "Succeeded") done.insert(index_of(*pod));
  }
  std::erase_if(
      done, [&job](std::int32_t index) { return index < 0 || index >= job.spec().completions(); });
  return done;
}

void count_into_status(const k8s::Job& job, const OwnedPods& pods, const JobMemory& memory,
                       k8s::JobStatus& status) {
  status.set_active(pods.counts().active);
  status.set_ready(pods.counts().ready);
  status.set_terminating(pods.counts().terminating);
  status.set_failed(failed_pods(memory));
  status.set_succeeded(succeeded_pods(memory));
  if (!is_indexed(job)) return;
  const Indexes done = completed_indexes(job, pods);
  status.set_completed_indexes(to_string(done));
  status.set_succeeded(static_cast<std::int32_t>(done.size()));
}

/// A suspended Job has no start: its deadline begins anew when it is resumed.
void plan_suspension(const k8s::Job& job, const OwnedPods& pods, JobPlan& plan, SimTime now) {
  auto& conditions = *plan.status.mutable_conditions();
  const bool was = is_true(conditions, "Suspended");
  if (job.spec().suspend()) {
    plan.remove = active_pods(pods);
    plan.dismiss = true;
    plan.status.clear_start_time();
    if (was) return;
    set_condition(conditions, {"Suspended", "True", "JobSuspended", "Job suspended"}, now);
    plan.events.push_back({"Normal", "Suspended", "Job suspended"});
  } else if (was) {
    set_condition(conditions, {"Suspended", "False", "JobResumed", "Job resumed"}, now);
    plan.events.push_back({"Normal", "Resumed", "Job resumed"});
  }
}

/// Active pods that must go: those without a place of their own, and as many more as are too many.
std::vector<PodPtr> surplus_pods(const k8s::Job& job, const OwnedPods& pods, std::int32_t too_many,
                                 SimTime now) {
  std::vector<PodPtr> surplus;
  std::vector<PodPtr> rest = active_pods(pods);
  if (is_indexed(job)) {
    std::map<std::int32_t, std::vector<PodPtr>> by_index;
    for (const PodPtr& pod : rest) by_index[index_of(*pod)].push_back(pod);
    rest.clear();
    for (auto& [index, same] : by_index) {
      const bool valid = index >= 0 && index < job.spec().completions();
      const std::size_t go = same.size() - (valid ? 1 : 0);
      for (const PodPtr& pod : pods_to_delete(same, go, {}, now)) {
        surplus.push_back(pod);
        std::erase(same, pod);
      }
      rest.insert(rest.end(), same.begin(), same.end());
    }
  }
  const auto wanted = static_cast<std::size_t>(std::max(too_many, 0));
  if (surplus.size() < wanted) {
    const auto more = pods_to_delete(std::move(rest), wanted - surplus.size(), {}, now);
    surplus.insert(surplus.end(), more.begin(), more.end());
  }
  if (surplus.size() > kBurstReplicas) surplus.resize(kBurstReplicas);
  return surplus;
}

void plan_pods(const k8s::Job& job, const OwnedPods& pods, const JobMemory& memory, JobPlan& plan,
               SimTime now) {
  const std::int32_t wanted = wanted_active(job, plan.status);
  std::int32_t have = plan.status.active();
  plan.remove = surplus_pods(job, pods, have - wanted, now);
  plan.dismiss = true;
  if (!plan.remove.empty()) return;
  if (job.spec().pod_replacement_policy() == "Failed") have += plan.status.terminating();
  if (have >= wanted) return;
  if (const Duration wait = backoff_left(memory, now); wait > Duration::zero()) {
    plan.again = std::max(wait, kJobBatchPeriod);
    return;
  }
  const auto missing = std::min(static_cast<std::size_t>(wanted - have), kBurstReplicas);
  plan.create =
      is_indexed(job)
          ? free_indexes(job, pods, parse_indexes(plan.status.completed_indexes()), missing)
          : std::vector<std::int32_t>(missing, -1);
}

}  // namespace

bool is_finished(const k8s::Job& job) {
  return is_true(job.status().conditions(), "Complete") ||
         is_true(job.status().conditions(), "Failed");
}

bool is_indexed(const k8s::Job& job) {
  return job.spec().completion_mode() == "Indexed";
}

JobPlan plan_job(const k8s::Job& job, const OwnedPods& pods, JobMemory& memory,
                 bool may_change_pods, SimTime now) {
  JobPlan plan;
  plan.status = job.status();
  if (!plan.status.has_start_time() && !job.spec().suspend()) {
    plan.status.set_start_time(to_ns(now));
  }
  count_ended(job, pods, memory);
  count_into_status(job, pods, memory, plan.status);
  std::optional<Outcome> outcome = decided(plan.status);
  if (!outcome) outcome = failure_of(job, pods, plan.status, now);
  if (!outcome) outcome = success_of(job, plan.status);
  if (outcome) {
    plan.remove = active_pods(pods);
    plan.dismiss = outcome->success;
    // Until its own writes are seen, there may be pods that the watch has not shown yet.
    if (may_change_pods) plan_end(job, pods, *outcome, plan, now);
    return plan;
  }
  if (may_change_pods) {
    plan_suspension(job, pods, plan, now);
    if (!job.spec().suspend()) plan_pods(job, pods, memory, plan, now);
  }
  if (const auto deadline = deadline_of(job, plan.status)) {
    const Duration left = *deadline - now;
    plan.again = plan.again ? std::min(*plan.again, left) : left;
  }
  return plan;
}

k8s::Pod pod_for(const k8s::Job& job, std::int32_t index) {
  k8s::Pod pod = pod_of(job.spec().template_(), job.metadata().namespace_());
  k8s::ObjectMeta& meta = *pod.mutable_metadata();
  *meta.add_owner_references() = controller_reference(job);
  meta.set_generate_name(job.metadata().name() + "-");
  if (index < 0) return pod;
  const std::string text = std::to_string(index);
  const std::string host = job.metadata().name() + "-" + text;
  meta.set_generate_name(host + "-");
  set_label(*meta.mutable_annotations(), kIndexAnnotation, text);
  set_label(*meta.mutable_labels(), kIndexAnnotation, text);
  pod.mutable_spec()->set_hostname(host);
  for (k8s::Container& container : *pod.mutable_spec()->mutable_containers()) {
    k8s::EnvVar& variable = *container.add_env();
    variable.set_name("JOB_COMPLETION_INDEX");
    variable.set_value(text);
  }
  return pod;
}

}  // namespace troupe::workloads
