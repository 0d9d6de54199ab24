// Which of two sibling queues is served first, seen with the job that each would place next
// (KAI, plugins/proportion/queue_order).
#pragma once

#include "actors/kai/queue_info.h"

namespace troupe::kai {

/// A queue, and what the job at its head asks for.
struct QueueWithJob {
  const QueueInfo& queue;
  Quantities wanted;
};

/// Negative if the left one goes first, positive if the right one, 0 if nothing but their age or
/// name tells them apart. `total`: what an unlimited share is measured against.
[[nodiscard]] int compare_queues(const QueueWithJob& left, const QueueWithJob& right,
                                 const Quantities& total);

/// The largest fraction that any resource takes of what the queue may have, with that much more
/// allocated.
[[nodiscard]] Fraction dominant_share(const QueueInfo& queue, const Quantities& more,
                                      const Quantities& total);

}  // namespace troupe::kai
