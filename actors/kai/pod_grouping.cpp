#include "actors/kai/pod_grouping.h"

#include <algorithm>

#include "actors/kai/grouping/registry.h"

namespace troupe::kai {

Result<Grouping> group_pod(const k8s::Pod& pod, const std::vector<OwnerView>& owners,
                           const GroupingOptions& options) {
  const GroupingCase one(pod, owners, options);
  return plugin_of(one.top())(one);
}

std::optional<PodGroup> updated_group(const PodGroup& is, const PodGroup& wanted) {
  PodGroup updated = is;
  PodGroupSpec& spec = *updated.mutable_spec();
  spec = wanted.spec();
  // These may be changed by hand, or by those who move work between queues.
  const PodGroupSpec& kept = is.spec();
  if (kept.has_queue()) spec.set_queue(kept.queue());
  if (kept.has_mark_unschedulable()) spec.set_mark_unschedulable(kept.mark_unschedulable());
  if (kept.has_scheduling_backoff()) spec.set_scheduling_backoff(kept.scheduling_backoff());
  if (spec.SerializeAsString() == is.spec().SerializeAsString()) return std::nullopt;
  return updated;
}

std::vector<SubGroupSettings> pod_sets_of(const PodGroup& group) {
  const PodGroupSpec& spec = group.spec();
  std::vector<SubGroupSettings> leaves;
  for (const SubGroup& sub_group : spec.sub_groups()) {
    const bool has_children =
        std::any_of(spec.sub_groups().begin(), spec.sub_groups().end(),
                    [&](const SubGroup& other) { return other.parent() == sub_group.name(); });
    if (has_children) continue;
    leaves.push_back({sub_group.name(), std::max(sub_group.min_member(), 1), sub_group.parent()});
  }
  if (leaves.empty()) {
    leaves.push_back({std::string(kDefaultSubGroup), std::max(spec.min_member(), 1), ""});
  }
  return leaves;
}

std::int64_t minimum_of(const PodGroup& group) {
  std::int64_t sum = 0;
  for (const SubGroupSettings& leaf : pod_sets_of(group)) sum += leaf.min_member;
  return sum;
}

}  // namespace troupe::kai
