#include "actors/kube_scheduler/resource_score.h"

#include "actors/kube_scheduler/max_score.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace troupe::kube_scheduler {
namespace {

using scheduling::NodeInfo;
using scheduling::PodInfo;

/// A shape's scores go from 0 to 10 and are scaled to 100 (MaxCustomPriorityScore).
constexpr std::int64_t kShapeScale = 10;
constexpr std::int64_t kFullUtilization = 100;

struct Use {
  std::int64_t requested = 0;  ///< with the pod
  std::int64_t allocatable = 0;
};

/// What would be used of a resource; nothing allocatable where it does not count for this pod.
Use use_of(const std::string& name, const PodInfo& pod, const NodeInfo& node) {
  if (name == "cpu") {
    return {node.scored_milli_cpu() + pod.scored_milli_cpu, node.allocatable().milli_cpu};
  }
  if (name == "memory") {
    return {node.scored_memory_bytes() + pod.scored_memory_bytes, node.allocatable().memory_bytes};
  }
  const std::int64_t wanted = pod.requests.amount_of(name);
  // An extended resource that the pod does not ask for says nothing about where the pod should go.
  if (wanted == 0 && name != "ephemeral-storage") return {};
  return {node.requested().amount_of(name) + wanted, node.allocatable().amount_of(name)};
}

std::int64_t least(const Use& use) {
  return use.requested > use.allocatable
             ? 0
             : (use.allocatable - use.requested) * kMaxScore / use.allocatable;
}

std::int64_t most(const Use& use) {
  return std::min(use.requested, use.allocatable) * kMaxScore / use.allocatable;
}

/// The piecewise linear function of the shape, in the integer arithmetic of
/// helper.BuildBrokenLinearFunction.
std::int64_t shaped(const std::vector<ShapePoint>& shape, const Use& use) {
  const std::int64_t utilization = use.requested > use.allocatable
                                       ? kFullUtilization
                                       : use.requested * kFullUtilization / use.allocatable;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) continue;
    const std::int64_t high = shape[i].score * kShapeScale;
    if (i == 0) return high;
    const std::int64_t low = shape[i - 1].score * kShapeScale;
    return low + (high - low) * (utilization - shape[i - 1].utilization) /
                     (shape[i].utilization - shape[i - 1].utilization);
  }
  return shape.back().score * kShapeScale;
}

std::int64_t ratio_score(const ResourceScoring& scoring, const PodInfo& pod, const NodeInfo& node) {
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const ResourceWeight& resource : scoring.resources) {
    const Use use = use_of(resource.name, pod, node);
    if (use.allocatable == 0) continue;
    const std::int64_t score = shaped(scoring.shape, use);
    if (score <= 0) continue;
    sum += score * resource.weight;
    weights += resource.weight;
  }
  if (weights == 0) return 0;
  return static_cast<std::int64_t>(
      std::floor(static_cast<double>(sum) / static_cast<double>(weights) + 0.5));
}

double fraction(std::int64_t requested, std::int64_t allocatable) {
  return std::min(1.0, static_cast<double>(requested) / static_cast<double>(allocatable));
}

}  // namespace

std::int64_t fit_score(const ResourceScoring& scoring, const PodInfo& pod, const NodeInfo& node) {
  if (scoring.strategy == Strategy::RequestedToCapacityRatio)
    return ratio_score(scoring, pod, node);
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const ResourceWeight& resource : scoring.resources) {
    const Use use = use_of(resource.name, pod, node);
    if (use.allocatable == 0) continue;
    sum +=
        (scoring.strategy == Strategy::LeastAllocated ? least(use) : most(use)) * resource.weight;
    weights += resource.weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

std::int64_t balance_score(const PodInfo& pod, const NodeInfo& node) {
  const scheduling::Resources& all = node.allocatable();
  const scheduling::Resources& used = node.requested();
  if (all.milli_cpu == 0 || all.memory_bytes == 0) return kMaxScore;
  const double cpu = fraction(used.milli_cpu + pod.requests.milli_cpu, all.milli_cpu);
  const double memory = fraction(used.memory_bytes + pod.requests.memory_bytes, all.memory_bytes);
  // The standard deviation of two numbers is half of their difference.
  const double deviation = std::abs((cpu - memory) / 2);
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kMaxScore));
}

}  // namespace troupe::kube_scheduler
