#include "actors/kai/plugins/orders.h"

#include <algorithm>

namespace troupe::kai {
namespace {

/// -1, 0 or 1 for less, equal, greater.
template <class T>
int compare(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

/// 0 below the minimum in some pod set, 1 exactly at it in all, 2 beyond it.
int distance(const Job& job) {
  if (!job.is_satisfied()) return 0;
  const bool exact = std::all_of(job.pod_sets.begin(), job.pod_sets.end(), [](const PodSet& set) {
    return set.count(kActiveAllocated) == set.minimum;
  });
  return exact ? 1 : 2;
}

int compare_pod_sets(const PodSet& a, const PodSet& b) {
  if (!a.is_satisfied() || !b.is_satisfied()) return compare(a.is_satisfied(), b.is_satisfied());
  const std::int64_t placed_a = a.count(kActiveAllocated);
  const std::int64_t placed_b = b.count(kActiveAllocated);
  return compare(placed_a * b.minimum, placed_b * a.minimum);
}

int compare_tasks(const Task& a, const Task& b) {
  const auto& left = a.settings.priority;
  const auto& right = b.settings.priority;
  if (left.has_value() != right.has_value()) return left ? -1 : 1;
  return left ? compare(*right, *left) : 0;
}

}  // namespace

void PriorityOrder::open(Session& session) {
  session.hooks().job_orders.emplace_back(
      [](const Job& a, const Job& b) { return compare(b.settings.priority, a.settings.priority); });
}

void ElasticOrder::open(Session& session) {
  session.hooks().job_orders.emplace_back(
      [](const Job& a, const Job& b) { return compare(distance(a), distance(b)); });
}

void SubGroupOrder::open(Session& session) {
  session.hooks().pod_set_orders.emplace_back(compare_pod_sets);
}

void TaskOrderPlugin::open(Session& session) {
  session.hooks().task_orders.emplace_back(compare_tasks);
}

}  // namespace troupe::kai
