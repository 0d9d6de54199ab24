#include "actors/kai/actions/allocate.h"

#include <algorithm>
#include <map>
#include <string>

#include "actors/kai/jobs_by_queue.h"

namespace troupe::kai {
namespace {

/// "no nodes with enough resources were found: 4 node(s) didn't have enough resources: GPUs."
std::string task_error(const Session& session, const Task& task) {
  const scheduling::Filters filters(task.pod(), session.snapshot());
  std::map<std::string, int> counts;
  for (const NodeState& node : session.nodes()) ++counts[session.refusal(task, filters, node)];
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(std::to_string(count) + " " + reason);
  std::stable_sort(parts.begin(), parts.end());
  std::string text = "no nodes with enough resources were found";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? ": " : ". \n") + parts[i];
  return parts.empty() ? text : text + ".";
}

/// How KAI tells of a job of which some task found no node.
std::string job_error(const Job& job, const Task& task, std::size_t placed,
                      const std::string& error) {
  const PodSet& set = job.pod_sets[task.pod_set];
  if (!job.is_gang() || set.count(kActiveUsed) >= set.minimum) {
    return "Resources were not found for pod " + task.pod().full_name() + " due to: " + error;
  }
  const std::string found = "Resources were found for " + std::to_string(placed) + " pods ";
  if (job.pod_sets.size() == 1 && set.name == kDefaultSubGroup) {
    return found + "while " + std::to_string(set.minimum) +
           " are required for gang scheduling. Additional pods cannot be scheduled due to: " +
           error;
  }
  return found + "from all sub-groups while sub-group " + set.name + " requires " +
         std::to_string(set.minimum) +
         " pods for gang scheduling. Additional pods cannot be scheduled in this sub-group due "
         "to: " +
         error;
}

class JobAllocation {
 public:
  JobAllocation(Session& session, Statement& statement, Job& job)
      : session_(session), statement_(statement), job_(job) {}

  bool run() {
    const Job::NextTasks next = session_.next_tasks(job_);
    if (next.tasks.empty()) return false;
    if (const auto error = session_.over_capacity(job_, next.total)) {
      job_.fit_errors.push_back(*error);
      return false;
    }
    return place_set(0, next.tasks);
  }

 private:
  bool place_set(std::size_t index, const std::vector<Task*>& tasks) {
    const SubGroupSet& set = job_.sets[index];
    const Statement::Checkpoint before = statement_.checkpoint();
    const bool placed = std::all_of(set.child_sets.begin(), set.child_sets.end(),
                                    [&](std::size_t child) { return place_set(child, tasks); }) &&
                        place_pod_sets(set, tasks);
    if (!placed) statement_.rollback(before);
    return placed;
  }

  bool place_pod_sets(const SubGroupSet& set, const std::vector<Task*>& tasks) {
    std::vector<std::size_t> order = set.pod_sets;
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return session_.pod_set_less(job_.pod_sets[a], job_.pod_sets[b]);
    });
    for (const std::size_t index : order) {
      std::size_t placed = 0;
      for (Task* task : tasks) {
        if (task->pod_set != index) continue;
        if (!place(*task)) {
          fail(*task, placed);
          return false;
        }
        ++placed;
      }
    }
    return true;
  }

  bool place(Task& task) {
    const auto node = session_.best_node(task);
    if (!node) return false;
    if (fits(task.pod().requests, session_.nodes()[*node].idle)) {
      statement_.allocate(task, *node);
    } else {
      statement_.pipeline(task, *node);
    }
    return true;
  }

  void fail(const Task& task, std::size_t placed) {
    const std::string error = task_error(session_, task);
    job_.task_errors[task.pod().uid()] = error;
    job_.fit_errors.push_back({"PodSchedulingErrors", job_error(job_, task, placed, error)});
  }

  Session& session_;
  Statement& statement_;
  Job& job_;
};

bool has_pending(const Job& job) {
  return job.count(statuses(TaskStatus::Pending)) > 0;
}

}  // namespace

bool allocate_job(Session& session, Statement& statement, Job& job) {
  if (!JobAllocation(session, statement, job).run()) return false;
  if (job.must_be_pipelined()) statement.pipeline_all();
  return true;
}

void Allocate::run(Session& session) {
  JobsByQueue jobs(session);
  for (const auto& job : session.jobs()) {
    if (job->is_ready() && has_pending(*job)) jobs.push(*job);
  }
  while (!jobs.empty()) {
    Job& job = jobs.pop();
    Statement statement(session, job);
    if (!allocate_job(session, statement, job)) continue;
    statement.commit();
    if (has_pending(job)) jobs.push(job);
  }
}

}  // namespace troupe::kai
