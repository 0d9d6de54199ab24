// A gang for each group of a LeaderWorkerSet, the leader and the workers as sub-groups of it.
#include <algorithm>
#include <utility>

#include "actors/kai/grouping/registry.h"
#include "actors/kai/grouping/segments.h"
#include "messages/labels.h"
#include "messages/lws.pb.h"

namespace troupe::kai {
namespace {

// LeaderWorkerSet, api/leaderworkerset/v1.
constexpr std::string_view kGroupIndexLabel = "leaderworkerset.sigs.k8s.io/group-index";
constexpr std::string_view kWorkerIndexLabel = "leaderworkerset.sigs.k8s.io/worker-index";
constexpr std::string_view kSizeAnnotation = "leaderworkerset.sigs.k8s.io/size";
constexpr std::string_view kLeader = "leader";
constexpr std::string_view kWorkers = "workers";

bool is_leader(const k8s::Pod& pod) {
  return label_or(pod.metadata().labels(), kWorkerIndexLabel) == "0";
}

/// With LeaderReady the workers are made after the leader: until it has a node, it is the whole
/// gang.
int minimum_when_ready(const k8s::Pod& pod, int size) {
  if (is_leader(pod) && pod.spec().node_name().empty()) return 1;
  return whole_number(label_or(pod.metadata().annotations(), kSizeAnnotation)).value_or(size);
}

/// Leader and workers by index, so many to a segment.
Result<Grouping> segmented_group(const GroupingCase& one, Grouping grouping,
                                 const SegmentRules& segments) {
  const int minimum = grouping.group.spec().min_member();
  const auto index = whole_number(label_or(one.pod().metadata().labels(), kWorkerIndexLabel));
  if (!index)
    return fail("invalid label " + std::string(kWorkerIndexLabel) + " on a pod of " +
                one.top_text());
  for (int first = 0; first < minimum; first += segments.size) {
    const std::string name = "segment-" + std::to_string(first / segments.size);
    segments.constrain(
        add_sub_group(grouping.group, name, std::min(segments.size, minimum - first)));
  }
  grouping.sub_group = "segment-" + std::to_string(*index / segments.size);
  return grouping;
}

}  // namespace

Result<Grouping> group_leader_worker_set(const GroupingCase& one) {
  const auto* set = one.top_as<lws::LeaderWorkerSet>();
  if (set == nullptr) return fail("failed to find " + one.top_text());
  const auto& group_template = set->spec().leader_worker_template();
  const int size = group_template.has_size() ? group_template.size() : 1;
  if (size <= 0) {
    return fail("invalid leaderWorkerTemplate.size " + std::to_string(size) + " in LWS " +
                one.top().metadata.namespace_() + "/" + one.top().metadata.name());
  }
  const bool leader_first = set->spec().startup_policy() == "LeaderReady";
  const int minimum = leader_first ? minimum_when_ready(one.pod(), size) : size;
  Grouping grouping = one.one_group();
  PodGroup& group = grouping.group;
  group.mutable_spec()->set_min_member(minimum);
  const auto index = whole_number(label_or(one.pod().metadata().labels(), kGroupIndexLabel));
  if (index) {
    group.mutable_metadata()->set_name(group.metadata().name() + "-group-" +
                                       std::to_string(*index));
  }
  const auto segments = segments_of(one, group_template.worker_template().metadata());
  if (!segments) return tl::unexpected(segments.error());
  if (*segments) return segmented_group(one, std::move(grouping), **segments);
  add_sub_group(group, kLeader, 1);
  if (minimum > 1) add_sub_group(group, kWorkers, minimum - 1);
  grouping.sub_group = is_leader(one.pod()) ? kLeader : minimum > 1 ? kWorkers : "";
  return grouping;
}

}  // namespace troupe::kai
