// What the next attempt at a job places: the missing minimum of all its unsatisfied pod sets at
// once or, where none is missing, one more pod (KAI, api/podgroup_info/allocation_info.go).
#pragma once

#include <functional>
#include <vector>

#include "actors/kai/job.h"

namespace troupe::kai {

/// True if the left one goes first.
using PodSetLess = std::function<bool(const PodSet&, const PodSet&)>;
using TaskLess = std::function<bool(const Task&, const Task&)>;

/// In the order in which they are placed; remembered in the job until one of its tasks changes.
const Job::NextTasks& tasks_to_allocate(Job& job, const PodSetLess& pod_set_less,
                                        const TaskLess& task_less);

}  // namespace troupe::kai
