#include "actors/workloads/leader_worker_set/plan.h"

#include <algorithm>
#include <set>

#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"
#include "messages/int_or_string.h"
#include "messages/selector.h"

namespace troupe::workloads {
namespace {

/// leaderworkerset.x-k8s.io/v1: one group at a time, no surge.
constexpr IntOrPercent kDefaultUnavailable{1, false};
constexpr IntOrPercent kDefaultSurge{0, false};

/// What the rollout looks at, computed once.
struct View {
  const lws::LeaderWorkerSet& set;
  Groups groups;
  std::string revision;
  std::int32_t replicas;
  std::int32_t size;
  std::int32_t partition;
  std::int32_t surge;
  std::int32_t unavailable;

  explicit View(const lws::LeaderWorkerSet& of, const PodIndex& pods)
      : set(of),
        groups(groups_of(of, pods)),
        revision(revision_key(of)),
        replicas(replicas_of(of)),
        size(size_of(of)) {
    const lws::RollingUpdateConfiguration& update =
        of.spec().rollout_strategy().rolling_update_configuration();
    const auto scaled = [this](const std::string& text, IntOrPercent fallback, Rounding rounding) {
      return static_cast<std::int32_t>(scaled_or(text, fallback, replicas, rounding));
    };
    partition = update.partition();
    surge = std::min(scaled(update.max_surge(), kDefaultSurge, Rounding::Up), replicas);
    unavailable = scaled(update.max_unavailable(), kDefaultUnavailable, Rounding::Down);
    if (surge == 0 && unavailable == 0) unavailable = 1;
  }

  [[nodiscard]] const Group* find(std::int32_t index) const {
    const auto at = groups.find(index);
    return at != groups.end() ? &at->second : nullptr;
  }
  [[nodiscard]] bool ready(std::int32_t index) const {
    const Group* group = find(index);
    return group != nullptr && group->is_ready(size);
  }
  [[nodiscard]] bool updated(std::int32_t index) const {
    const Group* group = find(index);
    return group != nullptr && group->is_of(revision);
  }
  /// A group that is there, is to stay, and is not of the present revision.
  [[nodiscard]] bool outdated(std::int32_t index) const {
    return index >= partition && find(index) != nullptr && !updated(index);
  }
  [[nodiscard]] bool in_update() const {
    for (std::int32_t index = partition; index < replicas; ++index) {
      if (outdated(index)) return true;
    }
    // Groups that an update made beyond the number stay until those below it are ready again.
    return std::ranges::any_of(groups, [this](const auto& entry) {
      return entry.first >= replicas && entry.first < replicas + surge && !entry.second.is_ending();
    });
  }
  /// Groups below the number that are not ready, or not of the present revision.
  [[nodiscard]] std::int32_t unfinished() const {
    std::int32_t count = 0;
    for (std::int32_t index = 0; index < replicas; ++index) {
      if (!ready(index) || !updated(index)) ++count;
    }
    return count;
  }
};

/// How many groups there are to be: during an update as many more as the surge allows, given back
/// at its end.
std::int32_t wanted_groups(const View& view) {
  if (!view.in_update()) return view.replicas;
  const std::int32_t unfinished = view.unfinished();
  if (unfinished > view.surge) return view.replicas + view.surge;
  return view.replicas + std::max(unfinished - view.unavailable, 0);
}

void plan_creations(const View& view, std::int32_t wanted, LwsPlan& plan) {
  const bool leader_first = view.set.spec().startup_policy() == "LeaderReady";
  for (std::int32_t index = 0; index < wanted; ++index) {
    if (view.find(index) == nullptr) plan.create.push_back(leader_pod(view.set, index));
  }
  for (const auto& [index, group] : view.groups) {
    if (index >= wanted || group.is_ending()) continue;
    if (leader_first && !is_ready(*group.leader)) continue;
    for (std::int32_t worker = 1; worker < view.size; ++worker) {
      if (!group.workers.contains(worker)) {
        plan.create.push_back(worker_pod(view.set, *group.leader, worker));
      }
    }
  }
}

void remove_group(LwsPlan& plan, std::int32_t index, const Group& group, std::string because = {}) {
  if (!group.is_ending()) plan.remove.push_back({group.leader, index, std::move(because), false});
}

void plan_scale_down(const View& view, std::int32_t wanted, LwsPlan& plan) {
  for (auto at = view.groups.rbegin(); at != view.groups.rend() && at->first >= wanted; ++at) {
    remove_group(plan, at->first, at->second);
  }
  for (LwsPlan::Removal& removal : plan.remove) removal.for_good = removal.group >= view.replicas;
}

void plan_restarts(const View& view, std::int32_t wanted, LwsPlan& plan) {
  const std::string& policy = view.set.spec().leader_worker_template().restart_policy();
  // RecreateGroupOnPodRestart is the default; "Default" is the old name of None.
  if (policy == "None" || policy == "Default") return;
  for (const auto& [index, group] : view.groups) {
    if (index >= wanted || group.is_ending()) continue;
    const PodPtr failed = group.failed_pod();
    if (failed == nullptr) continue;
    if (policy == "RecreateGroupAfterStart" && group.has_pending()) continue;
    remove_group(plan, index, group, failed->metadata().name());
  }
}

/// Takes outdated groups away from the highest index down, as many as may be unavailable. One that
/// is not ready costs nothing.
void plan_update(const View& view, LwsPlan& plan) {
  std::set<std::int32_t> going;
  for (const LwsPlan::Removal& removal : plan.remove) going.insert(removal.group);
  std::int32_t down = 0;
  for (std::int32_t index = 0; index < view.replicas; ++index) {
    if (!view.ready(index) || going.contains(index)) ++down;
  }
  std::int32_t extra = 0;
  for (std::int32_t index = view.replicas; index < view.replicas + view.surge; ++index) {
    if (view.ready(index)) ++extra;
  }
  std::int32_t allowed = view.unavailable + extra - down;
  for (std::int32_t index = view.replicas - 1; index >= view.partition; --index) {
    if (!view.outdated(index) || going.contains(index)) continue;
    if (view.ready(index)) {
      if (allowed <= 0) break;
      --allowed;
    }
    remove_group(plan, index, *view.find(index));
  }
}

/// A StatefulSet replaces its pods that have ended, and only those.
void plan_replacements(const View& view, LwsPlan& plan) {
  const auto consider = [&plan](const PodPtr& pod) {
    if (is_terminal(*pod) && !is_terminating(*pod)) plan.replace.push_back(pod);
  };
  for (const auto& [index, group] : view.groups) {
    if (group.is_ending()) continue;
    consider(group.leader);
    for (const auto& [worker_index, worker] : group.workers) consider(worker);
  }
}

struct ConditionText {
  std::string_view type;
  std::string_view reason;
  std::string_view message;
};
constexpr ConditionText kAvailable{"Available", "AllGroupsReady", "All replicas are ready"};
constexpr ConditionText kProgressing{"Progressing", "GroupsProgressing",
                                     "Replicas are progressing"};
constexpr ConditionText kUpdating{"UpdateInProgress", "GroupsUpdating",
                                  "Rolling Upgrade is in progress"};

void set_conditions(const View& view, lws::LeaderWorkerSetStatus& status, SimTime now) {
  std::int32_t outdated = 0;
  std::int32_t ready = 0;
  for (std::int32_t index = 0; index < view.replicas; ++index) {
    if (view.outdated(index)) ++outdated;
    if (view.ready(index)) ++ready;
  }
  const bool available = outdated == 0 && ready == view.replicas;
  const auto set = [&](const ConditionText& text, bool value) {
    // A condition that was never true is not written down as false.
    if (!value && find_condition(status.conditions(), text.type) == nullptr) return;
    set_condition(*status.mutable_conditions(),
                  {text.type, value ? "True" : "False", text.reason, text.message}, now);
  };
  set(kAvailable, available);
  set(kProgressing, !available);
  set(kUpdating, outdated > 0);
}

lws::LeaderWorkerSetStatus status_of(const View& view, SimTime now) {
  lws::LeaderWorkerSetStatus status = view.set.status();
  std::int32_t ready = 0;
  std::int32_t updated = 0;
  for (const auto& [index, group] : view.groups) {
    if (view.ready(index)) ++ready;
    if (view.updated(index)) ++updated;
  }
  status.set_replicas(static_cast<std::int32_t>(view.groups.size()));
  status.set_ready_replicas(ready);
  status.set_updated_replicas(updated);
  status.set_observed_generation(view.set.metadata().generation());
  k8s::LabelSelector leaders;
  set_label(*leaders.mutable_match_labels(), kSetNameLabel, view.set.metadata().name());
  set_label(*leaders.mutable_match_labels(), kWorkerIndexLabel, "0");
  status.set_hpa_pod_selector(selector_text(leaders));
  set_conditions(view, status, now);
  return status;
}

}  // namespace

LwsPlan plan_leader_worker_set(const lws::LeaderWorkerSet& set, const PodIndex& pods, SimTime now) {
  LwsPlan plan;
  const View view(set, pods);
  plan.status = status_of(view, now);
  if (set.metadata().has_deletion_timestamp()) return plan;
  const std::int32_t wanted = wanted_groups(view);
  plan_scale_down(view, wanted, plan);
  plan_restarts(view, wanted, plan);
  plan_update(view, plan);
  plan_replacements(view, plan);
  plan_creations(view, wanted, plan);
  return plan;
}

}  // namespace troupe::workloads
