// What a queue may not exceed: its limit for everyone, its quota for work that cannot be preempted,
// and the same of all its ancestors. With the texts that people see (KAI,
// plugins/proportion/capacity_policy).
#pragma once

#include <optional>

#include "actors/kai/job.h"
#include "actors/kai/queue_info.h"

namespace troupe::kai {

/// Why the job may not have `more` in that queue; nothing if it may. A null queue bounds nothing.
[[nodiscard]] std::optional<JobFitError> over_queue_capacity(const QueueInfo* queue, const Job& job,
                                                             const Quantities& more);

}  // namespace troupe::kai
