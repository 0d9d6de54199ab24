#include "actors/kai/fair_share.h"

#include <map>
#include <vector>

namespace troupe::kai {
namespace {

/// A queue, and the fraction of a unit that rounding down took from it in its last round.
struct Claimant {
  QueueInfo* queue = nullptr;
  Fraction lost;
};

class Division {
 public:
  Division(std::int64_t total, Resource resource, std::span<QueueInfo* const> queues)
      : remaining_(total), resource_(resource) {
    for (QueueInfo* queue : queues) {
      ResourceShare& share = queue->share(resource);
      const std::int64_t deserved = share.deserved == kUnlimited ? total : share.deserved;
      share.fair_share = std::min(deserved, share.requestable());
      remaining_ -= share.fair_share;
      buckets_[-queue->settings.priority].push_back({queue, {}});
    }
  }

  std::int64_t run() {
    if (remaining_ <= 0) return 0;
    // Every bucket is offered what those above left before any rounding loss is handed out.
    for (auto& [priority, bucket] : buckets_) {
      while (remaining_ > 0 && run_round(bucket)) {
      }
    }
    for (auto& [priority, bucket] : buckets_) give_units(bucket);
    return remaining_;
  }

 private:
  using Bucket = std::vector<Claimant>;

  ResourceShare& share_of(const Claimant& claimant) const {
    return claimant.queue->share(resource_);
  }

  /// True if someone took less than it was offered, so that another round is worth it.
  bool run_round(Bucket& bucket) {
    const std::int64_t offered = remaining_;
    std::int64_t weights = 0;
    for (const Claimant& claimant : bucket) {
      if (!share_of(claimant).is_satisfied()) weights += share_of(claimant).weight;
    }
    if (weights == 0) return false;
    bool again = false;
    for (Claimant& claimant : bucket) {
      const ResourceShare& share = share_of(claimant);
      if (remaining_ == 0) break;
      if (share.is_satisfied() || share.weight == 0) continue;
      const Fraction offer{static_cast<Int128>(offered) * share.weight, weights};
      const Int128 wanted = share.requestable() - share.fair_share;
      again = again || wanted * weights < offer.numerator;
      give(claimant, taken(claimant, wanted, offer));
    }
    return again;
  }

  /// All that it wants if the offer covers that, else the offer rounded down to units.
  [[nodiscard]] std::int64_t taken(Claimant& claimant, Int128 wanted, const Fraction& offer) const {
    if (wanted * offer.denominator <= offer.numerator) {
      claimant.lost = {};
      return static_cast<std::int64_t>(wanted);
    }
    const Int128 unit = unit_of(resource_);
    const Int128 whole = offer.numerator / (offer.denominator * unit) * unit;
    const Int128 lost = offer.numerator - whole * offer.denominator;
    if (lost > 0) claimant.lost = {lost, offer.denominator};
    return static_cast<std::int64_t>(whole);
  }

  void give(const Claimant& claimant, std::int64_t amount) {
    share_of(claimant).fair_share += amount;
    remaining_ -= amount;
  }

  void give_units(Bucket& bucket) {
    std::stable_sort(bucket.begin(), bucket.end(), [](const Claimant& a, const Claimant& b) {
      if (b.lost < a.lost) return true;
      if (a.lost < b.lost) return false;
      const QueueSettings& x = a.queue->settings;
      const QueueSettings& y = b.queue->settings;
      return x.created != y.created ? x.created < y.created : x.name < y.name;
    });
    for (const Claimant& claimant : bucket) {
      if (remaining_ <= 0 || claimant.lost.numerator == 0) return;
      give(claimant, std::min(unit_of(resource_), remaining_));
    }
  }

  std::int64_t remaining_;
  Resource resource_;
  std::map<int, Bucket> buckets_;  ///< by falling priority
};

}  // namespace

std::int64_t divide_resource(std::int64_t total, Resource resource,
                             std::span<QueueInfo* const> queues) {
  return Division(total, resource, queues).run();
}

}  // namespace troupe::kai
