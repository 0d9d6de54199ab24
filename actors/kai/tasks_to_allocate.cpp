#include "actors/kai/tasks_to_allocate.h"

#include <algorithm>

namespace troupe::kai {
namespace {

std::vector<Task*> pending_of(const PodSet& set, const TaskLess& task_less) {
  std::vector<Task*> pending;
  for (Task* task : set.tasks) {
    if (task->status == TaskStatus::Pending) pending.push_back(task);
  }
  std::stable_sort(pending.begin(), pending.end(),
                   [&task_less](const Task* a, const Task* b) { return task_less(*a, *b); });
  return pending;
}

std::size_t wanted_of(const PodSet& set) {
  const int placed = set.count(kActiveAllocated);
  return placed >= set.minimum ? 1 : static_cast<std::size_t>(set.minimum - placed);
}

}  // namespace

const Job::NextTasks& tasks_to_allocate(Job& job, const PodSetLess& pod_set_less,
                                        const TaskLess& task_less) {
  if (job.next) return *job.next;
  std::vector<const PodSet*> order;
  for (const PodSet& set : job.pod_sets) order.push_back(&set);
  std::stable_sort(order.begin(), order.end(), [&pod_set_less](const PodSet* a, const PodSet* b) {
    return pod_set_less(*a, *b);
  });
  const auto unsatisfied = static_cast<std::size_t>(std::count_if(
      order.begin(), order.end(), [](const PodSet* set) { return !set->is_satisfied(); }));
  std::size_t sets_left = std::max<std::size_t>(unsatisfied, 1);
  Job::NextTasks next;
  for (const PodSet* set : order) {
    if (sets_left == 0) break;
    std::vector<Task*> pending = pending_of(*set, task_less);
    if (pending.empty()) continue;
    pending.resize(std::min(pending.size(), wanted_of(*set)));
    next.tasks.insert(next.tasks.end(), pending.begin(), pending.end());
    --sets_left;
  }
  for (const Task* task : next.tasks) next.total += task->quantities();
  job.next = std::move(next);
  return *job.next;
}

}  // namespace troupe::kai
