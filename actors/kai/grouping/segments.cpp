#include "actors/kai/grouping/segments.h"

#include <utility>

#include "actors/kai/names.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

// KAI, pkg/podgrouper/podgrouper/plugins/constants/constants.go.
constexpr std::string_view kSegmentSizeAnnotation = "kai.scheduler/segment-size";
constexpr std::string_view kSegmentRequiredAnnotation =
    "kai.scheduler/segment-topology-required-placement";
constexpr std::string_view kSegmentPreferredAnnotation =
    "kai.scheduler/segment-topology-preferred-placement";

}  // namespace

void SegmentRules::constrain(SubGroup& segment) const {
  if (topology.empty() || (required.empty() && preferred.empty())) return;
  *segment.mutable_topology_constraint() = topology_constraint(topology, required, preferred);
}

Result<std::optional<SegmentRules>> segments_of(const GroupingCase& one,
                                                const k8s::ObjectMeta& worker_template) {
  const k8s::ObjectMeta& pod = one.pod().metadata();
  const auto value = [&](std::string_view key) {
    const std::string_view of_pod = label_or(pod.annotations(), key);
    return std::string(of_pod.empty() ? label_or(worker_template.annotations(), key) : of_pod);
  };
  const std::string text = value(kSegmentSizeAnnotation);
  if (text.empty()) return std::optional<SegmentRules>();
  const auto size = whole_number(text);
  if (!size || *size < 1) {
    return fail("invalid segment size " + text + " on pod " + pod.namespace_() + "/" + pod.name());
  }
  SegmentRules rules{*size, value(kTopologyAnnotation), value(kSegmentRequiredAnnotation),
                     value(kSegmentPreferredAnnotation)};
  if (rules.topology.empty()) {
    rules.topology = label_or(one.top().metadata.annotations(), kTopologyAnnotation);
  }
  return std::optional<SegmentRules>(std::move(rules));
}

}  // namespace troupe::kai
