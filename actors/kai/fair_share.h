// Dividing one resource among sibling queues: quotas first, then the rest by priority and weight.
//
// Everyone gets the smaller of quota and request, even if that is more than there is. What remains
// goes to the queues of the highest priority in proportion to their weights, round after round
// while some take less than they were offered; an unsatisfied queue's part is rounded down to whole
// units. The units that rounding left over go one by one, the largest lost fraction first, then the
// older queue, then by name (KAI, plugins/proportion/resource_division). Without usage history,
// KAI's k factor cancels out of the proportions.
#pragma once

#include <span>

#include "actors/kai/queue_info.h"

namespace troupe::kai {

/// Sets `fair_share` of that resource in each queue; returns what nobody took.
std::int64_t divide_resource(std::int64_t total, Resource resource,
                             std::span<QueueInfo* const> queues);

}  // namespace troupe::kai
