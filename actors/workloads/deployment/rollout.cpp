#include "actors/workloads/deployment/rollout.h"

#include <algorithm>
#include <tuple>

namespace troupe::workloads {
namespace {

/// apps/v1 SetDefaults_Deployment.
constexpr std::int64_t kDefaultHistory = 10;

std::vector<ReplicaSetPtr> active(const std::vector<ReplicaSetPtr>& sets) {
  std::vector<ReplicaSetPtr> result;
  std::ranges::copy_if(sets, std::back_inserter(result),
                       [](const ReplicaSetPtr& set) { return replicas_of(*set) > 0; });
  return result;
}

void resize(Resizes& resizes, const ReplicaSetPtr& set, std::int64_t replicas) {
  if (replicas_of(*set) != replicas) resizes.push_back({set, replicas});
}

std::int64_t size_after(const Resizes& resizes, const ReplicaSetPtr& set) {
  const auto at = std::ranges::find(resizes, set, &Resize::set);
  return at != resizes.end() ? at->replicas : replicas_of(*set);
}

void set_size(Resizes& resizes, const ReplicaSetPtr& set, std::int64_t replicas) {
  const auto at = std::ranges::find(resizes, set, &Resize::set);
  if (at != resizes.end()) {
    at->replicas = replicas;
  } else {
    resize(resizes, set, replicas);
  }
}

/// Takes pods that are not available anyway, up to `most`.
void drop_unhealthy(const std::vector<ReplicaSetPtr>& old, std::int64_t most, Resizes& resizes) {
  for (const ReplicaSetPtr& set : old) {
    const std::int64_t unhealthy = replicas_of(*set) - set->status().available_replicas();
    const std::int64_t fewer = std::min(most, unhealthy);
    if (fewer <= 0) continue;
    most -= fewer;
    resize(resizes, set, replicas_of(*set) - fewer);
  }
}

/// Then available ones, as long as enough stay available.
void shrink_old(const k8s::Deployment& deployment, const ReplicaSets& sets, Resizes& resizes) {
  const std::int64_t least = replicas_of(deployment) - fences_of(deployment).unavailable;
  std::int64_t surplus = available_replicas(sets.all()) - least;
  for (const ReplicaSetPtr& set : sets.old) {
    const std::int64_t size = size_after(resizes, set);
    const std::int64_t fewer = std::min(size, surplus);
    if (fewer <= 0) continue;
    surplus -= fewer;
    set_size(resizes, set, size - fewer);
  }
}

Resizes shrink_step(const k8s::Deployment& deployment, const ReplicaSets& sets) {
  Resizes resizes;
  if (wanted_replicas(sets.old) == 0) return resizes;
  const std::int64_t least = replicas_of(deployment) - fences_of(deployment).unavailable;
  const std::int64_t coming =
      sets.current == nullptr
          ? 0
          : replicas_of(*sets.current) - sets.current->status().available_replicas();
  const std::int64_t most = wanted_replicas(sets.all()) - least - coming;
  if (most <= 0) return resizes;
  drop_unhealthy(sets.old, most, resizes);
  shrink_old(deployment, sets, resizes);
  return resizes;
}

/// value * numerator / denominator, to the nearest, halves away from zero. All are positive.
std::int64_t rounded_share(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  return (2 * value * numerator + denominator) / (2 * denominator);
}

/// By how much one set changes when the whole changes by `to_add`, of which `added` is given out.
std::int64_t proportion(const ReplicaSetPtr& set, const k8s::Deployment& deployment,
                        std::int64_t to_add, std::int64_t added) {
  const std::int64_t size = replicas_of(*set);
  if (size == 0 || to_add == added) return 0;
  std::int64_t share = -size;
  if (replicas_of(deployment) > 0) {
    const std::int64_t most = replicas_of(deployment) + fences_of(deployment).surge;
    const std::int64_t before =
        number_in(set->metadata(), kMaxAnnotation, deployment.status().replicas());
    share = rounded_share(size, most, std::max<std::int64_t>(before, 1)) - size;
  }
  const std::int64_t left = to_add - added;
  return to_add > 0 ? std::min(share, left) : std::max(share, left);
}

Resizes scale_proportionally(const k8s::Deployment& deployment, const ReplicaSets& sets) {
  std::vector<ReplicaSetPtr> running = active(sets.all());
  const std::int64_t replicas = replicas_of(deployment);
  const std::int64_t allowed = replicas > 0 ? replicas + fences_of(deployment).surge : 0;
  const std::int64_t to_add = allowed - wanted_replicas(running);
  // The largest first; of equal ones the newest when growing, the oldest when shrinking.
  std::ranges::stable_sort(running, [to_add](const ReplicaSetPtr& a, const ReplicaSetPtr& b) {
    const auto key = [to_add](const ReplicaSetPtr& set) {
      const std::int64_t age = set->metadata().creation_timestamp();
      return std::tuple(-replicas_of(*set), to_add > 0 ? -age : age,
                        std::string_view(set->metadata().name()));
    };
    return key(a) < key(b);
  });
  Resizes resizes;
  std::vector<std::int64_t> sizes;
  std::int64_t added = 0;
  for (const ReplicaSetPtr& set : running) {
    const std::int64_t change = proportion(set, deployment, to_add, added);
    added += change;
    sizes.push_back(replicas_of(*set) + change);
  }
  if (!sizes.empty()) sizes[0] = std::max<std::int64_t>(sizes[0] + to_add - added, 0);
  for (std::size_t i = 0; i < running.size(); ++i) {
    // Also a set that keeps its size, so that its annotations are made current.
    resizes.push_back({running[i], sizes[i]});
  }
  return resizes;
}

/// The new set is as large as wanted, by its own account too, and all of it available.
bool is_saturated(const k8s::Deployment& deployment, const ReplicaSetPtr& set) {
  return set != nullptr && replicas_of(*set) == replicas_of(deployment) &&
         number_in(set->metadata(), kDesiredAnnotation, -1) == replicas_of(deployment) &&
         set->status().available_replicas() == replicas_of(deployment);
}

}  // namespace

std::int64_t new_set_size(const k8s::Deployment& deployment, const ReplicaSets& sets) {
  const std::int64_t wanted = replicas_of(deployment);
  if (!is_rolling_update(deployment)) return wanted;
  const std::int64_t size = sets.current == nullptr ? 0 : replicas_of(*sets.current);
  const std::int64_t room = wanted + fences_of(deployment).surge - wanted_replicas(sets.all());
  return room <= 0 ? size : size + std::min(room, wanted - size);
}

Resizes rolling_step(const k8s::Deployment& deployment, const ReplicaSets& sets) {
  Resizes resizes;
  const std::int64_t wanted = replicas_of(deployment);
  const std::int64_t size = replicas_of(*sets.current);
  if (size > wanted) {
    resize(resizes, sets.current, wanted);
  } else if (size < wanted) {
    resize(resizes, sets.current, new_set_size(deployment, sets));
  }
  return resizes.empty() ? shrink_step(deployment, sets) : resizes;
}

Resizes recreate_step(const k8s::Deployment& deployment, const ReplicaSets& sets,
                      bool old_pods_run) {
  Resizes resizes;
  for (const ReplicaSetPtr& set : sets.old) resize(resizes, set, 0);
  if (resizes.empty() && !old_pods_run && sets.current != nullptr) {
    resize(resizes, sets.current, replicas_of(deployment));
  }
  return resizes;
}

bool is_scaling(const k8s::Deployment& deployment, const ReplicaSets& sets) {
  return std::ranges::any_of(active(sets.all()), [&deployment](const ReplicaSetPtr& set) {
    const std::int64_t desired = number_in(set->metadata(), kDesiredAnnotation, -1);
    return desired >= 0 && desired != replicas_of(deployment);
  });
}

Resizes scale_step(const k8s::Deployment& deployment, const ReplicaSets& sets) {
  Resizes resizes;
  const std::vector<ReplicaSetPtr> running = active(sets.all());
  if (running.size() <= 1) {
    const ReplicaSetPtr only = !running.empty()          ? running.front()
                               : sets.current != nullptr ? sets.current
                               : !sets.old.empty()       ? sets.old.back()
                                                         : nullptr;
    if (only != nullptr) resize(resizes, only, replicas_of(deployment));
    return resizes;
  }
  if (is_saturated(deployment, sets.current)) {
    for (const ReplicaSetPtr& set : active(sets.old)) resize(resizes, set, 0);
    return resizes;
  }
  return is_rolling_update(deployment) ? scale_proportionally(deployment, sets) : resizes;
}

std::vector<ReplicaSetPtr> history_to_drop(const k8s::Deployment& deployment,
                                           const ReplicaSets& sets) {
  const std::int64_t limit = deployment.spec().has_revision_history_limit()
                                 ? deployment.spec().revision_history_limit()
                                 : kDefaultHistory;
  std::vector<ReplicaSetPtr> past = sets.old;
  std::ranges::stable_sort(past, {}, [](const ReplicaSetPtr& set) { return revision_of(*set); });
  const std::int64_t surplus = static_cast<std::int64_t>(past.size()) - limit;
  std::vector<ReplicaSetPtr> result;
  for (std::int64_t i = 0; i < surplus; ++i) {
    const k8s::ReplicaSet& set = *past[static_cast<std::size_t>(i)];
    const bool idle = set.status().replicas() == 0 && replicas_of(set) == 0 &&
                      set.metadata().generation() <= set.status().observed_generation() &&
                      !set.metadata().has_deletion_timestamp();
    if (idle) result.push_back(past[static_cast<std::size_t>(i)]);
  }
  return result;
}

}  // namespace troupe::workloads
