// Which nodes a pod's spec allows: its node selector and affinity, its tolerations against the
// node's taints.
//
// Label and node selectors themselves are in messages/selector.h.
#pragma once

#include <string_view>

#include "messages/k8s/core.pb.h"
#include "messages/selector.h"

namespace troupe::scheduling {

using TaintList = google::protobuf::RepeatedPtrField<k8s::Taint>;
using TolerationList = google::protobuf::RepeatedPtrField<k8s::Toleration>;

inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";

/// True if the pod says anything about its node: nodeSelector or a required node affinity.
[[nodiscard]] bool selects_nodes(const k8s::PodSpec& spec);
/// nodeSelector and required node affinity, both.
[[nodiscard]] bool matches_node(const k8s::PodSpec& spec, const k8s::Node& node);

[[nodiscard]] bool tolerates(const k8s::Toleration& toleration, const k8s::Taint& taint);
[[nodiscard]] bool tolerates(const TolerationList& tolerations, const k8s::Taint& taint);
/// True of the effects that keep a pod off a node; PreferNoSchedule only counts in scores.
[[nodiscard]] bool is_hard(const k8s::Taint& taint);
/// The first hard taint that none of the tolerations covers, or null.
[[nodiscard]] const k8s::Taint* first_untolerated(const TaintList& taints,
                                                  const TolerationList& tolerations);

}  // namespace troupe::scheduling
