// What differs between releases of Karpenter, by the name of a profile: "1.0", "1.7" or "1.14" (the
// default).
#pragma once

#include <cstddef>
#include <string_view>

#include "actors/karpenter/scheduling/planned_claim.h"

namespace troupe::karpenter {

struct Profile {
  std::size_t max_instance_types = kMaxInstanceTypes;  ///< in a claim: 60 to 1.6, 600 since 1.7
  bool launch_timeout = true;      ///< claims that do not launch in 5 min are deleted: since 1.7
  bool minimum_drain_time = true;  ///< a drain takes at least 5 s: since 1.10
  /// Empty is what no pod's eviction would cost anything for; before 1.14, what has no pods to
  /// reschedule.
  bool empty_by_cost = true;

  static constexpr Profile of(std::string_view name) {
    if (name == "1.0") return {kMaxInstanceTypesBefore17, false, false, false};
    if (name == "1.7") return {kMaxInstanceTypes, true, false, false};
    return {};
  }
};

}  // namespace troupe::karpenter
