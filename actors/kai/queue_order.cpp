#include "actors/kai/queue_order.h"

namespace troupe::kai {
namespace {

/// How many times more a resource counts of which the queue may have nothing
/// (noFairShareDrfMultiplier).
constexpr std::int64_t kNoShareMultiplier = 1000;

/// -1 if only the left one is good, 1 if only the right one.
int prefer(bool left_good, bool right_good) {
  if (left_good == right_good) return 0;
  return left_good ? -1 : 1;
}

int prefer_smaller(const Fraction& left, const Fraction& right) {
  if (left < right) return -1;
  return right < left ? 1 : 0;
}

/// Over its fair share in all resources.
bool over_fair_share(const QueueInfo& queue) {
  return all_less(queue.collect(&ResourceShare::fair_share),
                  queue.collect(&ResourceShare::allocated));
}

Quantities allocated_with(const QueueWithJob& side) {
  Quantities sum = side.queue.collect(&ResourceShare::allocated);
  sum += side.wanted;
  return sum;
}

bool within_quota(const QueueWithJob& side) {
  return less_or_equal(allocated_with(side), side.queue.collect(&ResourceShare::deserved));
}

/// It would use something of which it may have nothing.
bool uses_without_share(const QueueWithJob& side) {
  const Quantities with = allocated_with(side);
  return std::any_of(kResources.begin(), kResources.end(), [&](Resource resource) {
    return side.queue.share(resource).allocatable() == 0 && with[resource] > 0;
  });
}

int prefer_smaller_share(const Quantities& left, const Quantities& right) {
  const bool left_less = less_or_equal(left, right) && !less_or_equal(right, left);
  const bool right_less = less_or_equal(right, left) && !less_or_equal(left, right);
  return prefer(left_less, right_less);
}

}  // namespace

Fraction dominant_share(const QueueInfo& queue, const Quantities& more, const Quantities& total) {
  Fraction dominant;
  for (const Resource resource : kResources) {
    const ResourceShare& share = queue.share(resource);
    std::int64_t allocatable = share.allocatable();
    if (allocatable == kUnlimited) allocatable = total[resource];
    const Int128 allocated = share.allocated + more[resource];
    const Fraction of_resource = allocatable == 0
                                     ? Fraction{allocated * kNoShareMultiplier, unit_of(resource)}
                                     : Fraction{allocated, allocatable};
    if (dominant < of_resource) dominant = of_resource;
  }
  return dominant;
}

int compare_queues(const QueueWithJob& left, const QueueWithJob& right, const Quantities& total) {
  const auto& a = left.queue;
  const auto& b = right.queue;
  if (int order = prefer(!over_fair_share(a), !over_fair_share(b)); order != 0) return order;
  if (int order = prefer(within_quota(left), within_quota(right)); order != 0) return order;
  if (a.settings.priority != b.settings.priority) {
    return a.settings.priority > b.settings.priority ? -1 : 1;
  }
  if (int order = prefer(!uses_without_share(left), !uses_without_share(right)); order != 0) {
    return order;
  }
  if (int order = prefer_smaller(dominant_share(a, left.wanted, total),
                                 dominant_share(b, right.wanted, total));
      order != 0) {
    return order;
  }
  if (int order = prefer_smaller(dominant_share(a, {}, total), dominant_share(b, {}, total));
      order != 0) {
    return order;
  }
  return prefer_smaller_share(a.allocatable(), b.allocatable());
}

}  // namespace troupe::kai
