// The order in which a pod's soft constraints are given up.
#pragma once

#include <optional>
#include <string>

#include "messages/k8s/placement.pb.h"

namespace troupe::karpenter {

/// Works on a simulated pod's own copy of its constraints.
class Preferences {
 public:
  using Tolerations = google::protobuf::RepeatedPtrField<k8s::Toleration>;
  using Spreads = google::protobuf::RepeatedPtrField<k8s::TopologySpreadConstraint>;

  Preferences(k8s::Affinity& affinity, Tolerations& tolerations, Spreads& spreads)
      : affinity_(affinity), tolerations_(tolerations), spreads_(spreads) {}

  /// One step, in this order: the first of several required node terms (they are alternatives), the
  /// heaviest preferred pod affinity, pod anti-affinity and node affinity, a ScheduleAnyway spread,
  /// and last a toleration of PreferNoSchedule taints, which only helps where a pool has such a
  /// taint.
  std::optional<std::string> relax(bool tolerate_prefer_no_schedule);

 private:
  std::optional<std::string> drop_required_node_term();
  std::optional<std::string> drop_preferred_pod_affinity();
  std::optional<std::string> drop_preferred_pod_anti_affinity();
  std::optional<std::string> drop_preferred_node_term();
  std::optional<std::string> drop_schedule_anyway_spread();
  std::optional<std::string> tolerate_prefer_no_schedule();

  k8s::Affinity& affinity_;
  Tolerations& tolerations_;
  Spreads& spreads_;
};

}  // namespace troupe::karpenter
