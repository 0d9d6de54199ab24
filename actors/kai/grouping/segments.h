// Segments: workers in blocks by index, each block kept together in the topology.
#pragma once

#include <optional>
#include <string>

#include "actors/kai/grouping/grouping_case.h"

namespace troupe::kai {

struct SegmentRules {
  int size = 0;  ///< pods to a segment, at least 1
  std::string topology;
  std::string required;
  std::string preferred;

  /// Gives the sub-group the constraint of a segment, if there is one.
  void constrain(SubGroup& segment) const;
};

/// What the annotations of the pod ask for, else those of the workers' template; nothing if they
/// ask for no segments.
[[nodiscard]] Result<std::optional<SegmentRules>> segments_of(
    const GroupingCase& one, const k8s::ObjectMeta& worker_template);

}  // namespace troupe::kai
