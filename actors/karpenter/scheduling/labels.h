// The label keys, taints and annotations that Karpenter v1 and the clouds agree on, and the old
// names of some of them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::karpenter {

inline constexpr std::string_view kNodePoolLabel = "karpenter.sh/nodepool";
inline constexpr std::string_view kCapacityTypeLabel = "karpenter.sh/capacity-type";
inline constexpr std::string_view kRegisteredLabel = "karpenter.sh/registered";
inline constexpr std::string_view kInitializedLabel = "karpenter.sh/initialized";
inline constexpr std::string_view kDoNotSyncTaintsLabel = "karpenter.sh/do-not-sync-taints";
inline constexpr std::string_view kInstanceTypeLabel = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";
inline constexpr std::string_view kArchLabel = "kubernetes.io/arch";
inline constexpr std::string_view kOsLabel = "kubernetes.io/os";
inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";
inline constexpr std::string_view kWindowsBuildLabel = "node.kubernetes.io/windows-build";
inline constexpr std::string_view kExcludeBalancersLabel =
    "node.kubernetes.io/exclude-from-external-load-balancers";

inline constexpr std::string_view kDoNotDisruptAnnotation = "karpenter.sh/do-not-disrupt";
inline constexpr std::string_view kTerminationTimestampAnnotation =
    "karpenter.sh/nodeclaim-termination-timestamp";
inline constexpr std::string_view kMinValuesRelaxedAnnotation =
    "karpenter.sh/nodeclaim-min-values-relaxed";
inline constexpr std::string_view kNodePoolHashAnnotation = "karpenter.sh/nodepool-hash";
inline constexpr std::string_view kNodePoolHashVersionAnnotation =
    "karpenter.sh/nodepool-hash-version";
/// The version of the hash's definition since Karpenter 1.1.
inline constexpr std::string_view kNodePoolHashVersion = "v3";

inline constexpr std::string_view kTerminationFinalizer = "karpenter.sh/termination";
inline constexpr std::string_view kUnregisteredTaint = "karpenter.sh/unregistered";
inline constexpr std::string_view kDisruptedTaint = "karpenter.sh/disrupted";

inline constexpr std::string_view kCapacitySpot = "spot";
inline constexpr std::string_view kCapacityOnDemand = "on-demand";
inline constexpr std::string_view kCapacityReserved = "reserved";

/// Keys that an instance type defines, whichever cloud: a pool need not name them for a pod to ask
/// for them.
inline constexpr std::array kWellKnownLabels = {
    kNodePoolLabel, kCapacityTypeLabel, kInstanceTypeLabel, kZoneLabel,
    kRegionLabel,   kArchLabel,         kOsLabel,           kWindowsBuildLabel};

/// The instance labels of a cloud's own domain (karpenter.k8s.aws/instance-gpu-name and its like)
/// are well known too.
inline constexpr std::array<std::string_view, 2> kProviderLabelPrefixes = {"karpenter.k8s.aws/",
                                                                           "karpenter.kwok.sh/"};

constexpr bool is_well_known(std::string_view key) {
  return std::ranges::find(kWellKnownLabels, key) != kWellKnownLabels.end() ||
         std::ranges::any_of(kProviderLabelPrefixes,
                             [key](std::string_view prefix) { return key.starts_with(prefix); });
}

/// The present name of a key that has an old one.
constexpr std::string_view normalized_key(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOldNames = {{
      {"beta.kubernetes.io/arch", kArchLabel},
      {"beta.kubernetes.io/os", kOsLabel},
      {"beta.kubernetes.io/instance-type", kInstanceTypeLabel},
      {"failure-domain.beta.kubernetes.io/zone", kZoneLabel},
      {"failure-domain.beta.kubernetes.io/region", kRegionLabel},
  }};
  for (const auto& [old_name, name] : kOldNames) {
    if (key == old_name) return name;
  }
  return key;
}

}  // namespace troupe::karpenter
