#include "actors/workloads/replica_set/ranking.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <tuple>

#include "actors/workloads/objects/pods.h"

namespace troupe::workloads {
namespace {

int phase_rank(const k8s::Pod& pod) {
  const std::string& phase = pod.status().phase();
  if (phase == "Pending" || phase.empty()) return 0;
  return phase == "Running" ? 2 : 1;
}

/// log2 of the age; -1 for a moment that is not over yet.
int age_bucket(SimTime since, SimTime now) {
  const std::int64_t age = (now - since).count();
  return age > 0 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(age))) - 1 : -1;
}

struct Rank {
  bool placed;
  int phase;
  bool ready;
  std::int32_t cost;
  int neighbours;  // negated: more of them go first
  int ready_age;   // -1 of a pod that is not ready
  int restarts;    // negated
  int age;
  std::string_view uid;

  friend auto operator<=>(const Rank&, const Rank&) = default;
};

Rank rank_of(const k8s::Pod& pod, const Colocation& colocated, SimTime now) {
  const auto neighbours = colocated.find(pod.spec().node_name());
  return {.placed = is_bound(pod),
          .phase = phase_rank(pod),
          .ready = is_ready(pod),
          .cost = deletion_cost(pod),
          .neighbours = neighbours == colocated.end() ? 0 : -neighbours->second,
          .ready_age = is_ready(pod) ? age_bucket(ready_since(pod), now) : -1,
          .restarts = -restarts(pod),
          .age = age_bucket(from_ns(pod.metadata().creation_timestamp()), now),
          .uid = pod.metadata().uid()};
}

}  // namespace

std::vector<PodPtr> pods_to_delete(std::vector<PodPtr> active, std::size_t count,
                                   const Colocation& colocated, SimTime now) {
  if (count >= active.size()) return active;
  struct Ranked {
    Rank rank;
    PodPtr pod;
  };
  std::vector<Ranked> ranked;
  ranked.reserve(active.size());
  for (PodPtr& pod : active) {
    const Rank rank = rank_of(*pod, colocated, now);
    ranked.push_back({rank, std::move(pod)});
  }
  std::ranges::stable_sort(ranked, {}, &Ranked::rank);
  std::vector<PodPtr> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(std::move(ranked[i].pod));
  return result;
}

}  // namespace troupe::workloads
