#include "emulator/conformance/kai_rounds.h"

#include <algorithm>

#include "emulator/config/values.h"
#include "emulator/conformance/kai_given.h"

namespace troupe::conformance {

KaiRounds::KaiRounds(const config::ConformanceCase& spec) : sync_(spec.mode().sync()) {
  add_nodes(spec.given(), cache_);
  queues_ = queues_of(spec.given());
  jobs_ = jobs_of(spec.given(), cache_.label_classes());
  options_.staleness_grace =
      config::duration_or(sync_.default_staleness_grace_period(), options_.staleness_grace);
  cache_.refresh(snapshot_);
}

void KaiRounds::run() {
  cycle_ = std::make_unique<kai::Cycle>(
      kai::SessionInput{snapshot_, queues_, jobs_, kGivenTime, options_});
  if (sync_.actions().empty()) cycle_->run();
  for (const std::string& action : sync_.actions()) cycle_->run(action);
}

void KaiRounds::settle() {
  for (kai::JobSettings& job : jobs_) {
    const kai::Job& after = session_job(job.name);
    job.stale_since = after.stale_since;
    for (std::size_t i = 0; i < job.tasks.size(); ++i) settle(job.tasks[i], after.tasks[i]);
  }
}

void KaiRounds::settle(kai::TaskSettings& task, const kai::Task& after) const {
  using kai::TaskStatus;
  task.status = after.status;
  if (after.status == TaskStatus::Binding) task.status = TaskStatus::Running;
  if (kai::is_in(after.status, kai::statuses(TaskStatus::Releasing, TaskStatus::Pipelined))) {
    task.status = TaskStatus::Pending;
  }
  task.node = task.status == TaskStatus::Pending ? "" : node_name(after);
}

Calls KaiRounds::calls() const {
  Calls calls;
  for (const kai::Commit& commit : cycle_->session().commits()) {
    calls.binds += commit.binds.size();
    calls.evicts += commit.evictions.size();
    calls.pipelines += commit.pipelined.size();
  }
  return calls;
}

JobViews KaiRounds::in_session() const {
  JobViews views;
  for (const kai::JobSettings& job : jobs_) {
    const kai::Job& seen = session_job(job.name);
    JobView view{job.name, {}, seen.fit_errors, {}};
    for (const kai::Task& task : seen.tasks) {
      view.tasks.push_back({task.status, node_name(task), task.settings.sub_group});
    }
    for (const auto& [uid, error] : seen.task_errors) view.task_errors.push_back(error);
    views.push_back(std::move(view));
  }
  return views;
}

JobViews KaiRounds::in_cluster() const {
  JobViews views = in_session();
  for (std::size_t j = 0; j < views.size(); ++j) {
    for (std::size_t i = 0; i < views[j].tasks.size(); ++i) {
      views[j].tasks[i].status = jobs_[j].tasks[i].status;
      views[j].tasks[i].node = jobs_[j].tasks[i].node;
    }
  }
  return views;
}

const kai::Job& KaiRounds::session_job(const std::string& name) const {
  const auto jobs = cycle_->session().jobs();
  return **std::find_if(jobs.begin(), jobs.end(),
                        [&name](const auto& job) { return job->settings.name == name; });
}

std::string KaiRounds::node_name(const kai::Task& task) const {
  return task.node ? cycle_->session().snapshot().nodes()[*task.node].name() : "";
}

}  // namespace troupe::conformance
