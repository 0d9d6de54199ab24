#include "actors/kai/actions/stale_gang_eviction.h"

#include <string>
#include <utility>

#include "actors/kai/statement.h"

namespace troupe::kai {
namespace {

std::string eviction_text(const Job& job, const Task& task) {
  const PodSet& set = job.pod_sets[task.pod_set];
  std::string text = "Workload doesn't meet the minimum required number of pods (" +
                     std::to_string(set.minimum) + ")";
  if (job.pod_sets.size() > 1 || set.name != kDefaultSubGroup) text += " in sub-group " + set.name;
  return text + ", evicting remaining pod: " + task.pod().full_name();
}

}  // namespace

void StaleGangEviction::run(Session& session) {
  for (const auto& job : session.jobs()) {
    if (!job->is_stale()) {
      job->stale_since.reset();
      continue;
    }
    if (!job->stale_since) job->stale_since = session.now();
    const Duration grace = session.options().staleness_grace;
    if (grace < Duration{0} || session.now() - *job->stale_since < grace) continue;
    Statement statement(session, *job);
    for (Task& task : job->tasks) {
      if (is_in(task.status, kActiveAllocated)) statement.evict(task, eviction_text(*job, task));
    }
    statement.commit();
  }
}

}  // namespace troupe::kai
