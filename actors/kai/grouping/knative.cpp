// Knative: the pods of one revision are a gang of as many as its min-scale says, or a group each.
#include <algorithm>

#include "actors/kai/grouping/registry.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

// knative.dev/serving/pkg/apis/serving and autoscaling.
constexpr std::string_view kRevisionLabel = "serving.knative.dev/revision";
constexpr std::string_view kMinScaleAnnotation = "autoscaling.knative.dev/min-scale";

}  // namespace

Result<Grouping> group_knative(const GroupingCase& one) {
  if (!one.options().knative_gangs) return one.own_group(kInferenceClass);
  Grouping grouping = one.one_group(kInferenceClass);
  const k8s::ObjectMeta& pod = one.pod().metadata();
  const std::string_view revision = label_or(pod.labels(), kRevisionLabel);
  if (revision.empty()) {
    return fail("no label " + std::string(kRevisionLabel) + " on pod " + pod.namespace_() + "/" +
                pod.name());
  }
  grouping.group.mutable_metadata()->set_name(group_name(revision, one.top().metadata.uid()));
  const std::string_view scale = label_or(pod.annotations(), kMinScaleAnnotation);
  if (scale.empty()) return grouping;
  const auto minimum = whole_number(scale);
  if (!minimum) {
    return fail("invalid annotation " + std::string(kMinScaleAnnotation) + " '" +
                std::string(scale) + "' on pod " + pod.namespace_() + "/" + pod.name());
  }
  grouping.group.mutable_spec()->set_min_member(std::max(*minimum, 1));
  return grouping;
}

}  // namespace troupe::kai
