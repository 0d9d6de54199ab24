// The labels, annotations and classes by which KAI's components understand each other.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe::kai {

// KAI, pkg/common/constants/constants.go and the pod-grouper's constants.
inline constexpr std::string_view kPodGroupAnnotation = "pod-group-name";
inline constexpr std::string_view kSubGroupLabel = "kai.scheduler/subgroup-name";
inline constexpr std::string_view kTaskPriorityLabel = "kai.scheduler/task-priority";
inline constexpr std::string_view kQueueLabel = "kai.scheduler/queue";
inline constexpr std::string_view kProjectLabel = "project";
inline constexpr std::string_view kPriorityLabel = "priorityClassName";
inline constexpr std::string_view kPreemptibilityLabel = "kai.scheduler/preemptibility";
inline constexpr std::string_view kStaleAnnotation = "kai.scheduler/stale-podgroup-timestamp";
inline constexpr std::string_view kLastStartAnnotation = "kai.scheduler/last-start-timestamp";
inline constexpr std::string_view kReceivedTypeAnnotation = "received-resource-type";
inline constexpr std::string_view kSelectedNodeLabel = "selected-node";
inline constexpr std::string_view kTopologyAnnotation = "kai.scheduler/topology";
inline constexpr std::string_view kTopologyRequiredAnnotation =
    "kai.scheduler/topology-required-placement";
inline constexpr std::string_view kTopologyPreferredAnnotation =
    "kai.scheduler/topology-preferred-placement";

inline constexpr std::string_view kDefaultQueue = "default-queue";
inline constexpr std::string_view kDefaultParentQueue = "default-parent-queue";
/// The node pool of objects without a node-pool label.
inline constexpr std::string_view kDefaultNodePool = "default";

/// The value of a PodGroup whose class is missing or unknown, where no class is the global default.
inline constexpr int kDefaultPriority = 50;
/// From this value on, work cannot be preempted unless its PodGroup says so.
inline constexpr int kNonPreemptibleFrom = 100;

/// The priority classes that KAI's chart installs. A cluster that runs KAI has them, so a scenario
/// need not list them.
inline constexpr std::array<std::pair<std::string_view, int>, 4> kShippedClasses = {
    {{"train", 50}, {"build-preemptible", 75}, {"build", 100}, {"inference", 125}}};

constexpr std::optional<int> shipped_class(std::string_view name) {
  for (const auto& [shipped, value] : kShippedClasses) {
    if (shipped == name) return value;
  }
  return std::nullopt;
}

}  // namespace troupe::kai
