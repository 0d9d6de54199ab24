#include "actors/kai/decision.h"

#include <algorithm>
#include <map>

namespace troupe::kai {
namespace {

constexpr StatusSet kWaiting = statuses(TaskStatus::Pending, TaskStatus::Gated);

void fill(const Commit::Bind& bind, schedulers::KaiBind& message) {
  message.set_pod(bind.task->pod().full_name());
  message.set_uid(bind.task->pod().uid());
  message.set_node(bind.node);
  message.set_milli_gpu(bind.task->pod().requests.milli_gpu);
}

void add_statement(const Commit& commit, schedulers::KaiDecided& decided) {
  schedulers::KaiStatement& statement = *decided.add_statements();
  statement.set_gang(commit.job->settings.full_name());
  statement.set_completes(commit.completes_gang && commit.job->is_gang());
  statement.set_starts(commit.starts_job);
  for (const Commit::Bind& bind : commit.binds) fill(bind, *statement.add_binds());
  for (const Commit::Bind& wait : commit.pipelined) fill(wait, *statement.add_pipelined());
  for (const Commit::Eviction& eviction : commit.evictions) {
    schedulers::KaiEviction& added = *statement.add_evictions();
    added.set_pod(eviction.task->pod().full_name());
    added.set_uid(eviction.task->pod().uid());
    added.set_message(eviction.message);
  }
}

std::string not_ready_text(const Job& job) {
  std::string text = "Job is not ready for scheduling.";
  for (const PodSet& set : job.pod_sets) {
    if (set.is_ready()) continue;
    const bool is_default = set.name == kDefaultSubGroup;
    text += " Waiting for " + std::to_string(set.minimum) + " pods" +
            (is_default ? "" : " for SubGroup " + set.name) + ", currently " +
            std::to_string(set.count(kAlive)) + " exist, " +
            std::to_string(set.count(statuses(TaskStatus::Gated))) + " are gated" +
            (is_default ? "" : ".");
  }
  return text;
}

void add_pods(const Job& job, const std::string& summary, schedulers::KaiReport& report) {
  for (const Task& task : job.tasks) {
    if (task.status != TaskStatus::Pending) continue;
    schedulers::KaiReport::Pod& pod = *report.add_pods();
    pod.set_pod(task.pod().full_name());
    pod.set_uid(task.pod().uid());
    const auto at = job.task_errors.find(task.pod().uid());
    pod.set_message(at != job.task_errors.end() ? at->second
                    : job.fit_errors.empty()    ? "Unable to schedule pod"
                                                : summary);
  }
}

void add_report(const Job& job, schedulers::KaiDecided& decided) {
  const bool waits = job.count(kWaiting) > 0;
  if (!waits && !job.stale_since && !job.settings.stale_since) return;
  schedulers::KaiReport& report = *decided.add_reports();
  report.set_group(job.settings.full_name());
  if (job.stale_since) report.set_stale_since(to_ns(*job.stale_since));
  if (!waits) return;
  if (!job.is_ready()) {
    report.set_not_ready(true);
    report.set_message(not_ready_text(job));
    return;
  }
  report.set_message(summary_of(job.fit_errors));
  report.set_partly_placed(job.count(kActiveAllocated) > 0);
  for (const JobFitError& error : job.fit_errors) {
    schedulers::KaiReport::Reason& reason = *report.add_reasons();
    reason.set_reason(error.reason);
    reason.set_message(error.message);
  }
  add_pods(job, report.message(), report);
}

}  // namespace

std::string summary_of(const std::vector<JobFitError>& errors) {
  std::map<std::string, int> counts;
  for (const JobFitError& error : errors) ++counts[error.message];
  std::vector<std::string> parts;
  for (const auto& [message, count] : counts) {
    parts.push_back(count > 1 ? std::to_string(count) + " " + message : message);
  }
  std::stable_sort(parts.begin(), parts.end());
  std::string text = errors.size() == 1 ? errors.front().reason : "Unable to schedule podgroup";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? ": " : ". \n") + parts[i];
  return parts.empty() ? text : text + ".";
}

schedulers::KaiDecided decision_of(const Session& session) {
  schedulers::KaiDecided decided;
  for (const Commit& commit : session.commits()) add_statement(commit, decided);
  for (const auto& job : session.jobs()) add_report(*job, decided);
  return decided;
}

}  // namespace troupe::kai
