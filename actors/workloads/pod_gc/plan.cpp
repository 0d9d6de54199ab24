#include "actors/workloads/pod_gc/plan.h"

#include <algorithm>
#include <tuple>

#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";

bool is_out_of_service(const k8s::Node& node) {
  return !is_true(node.status().conditions(), "Ready") &&
         std::ranges::any_of(node.spec().taints(),
                             [](const auto& taint) { return taint.key() == kOutOfService; });
}

bool goes_before(const PodPtr& a, const PodPtr& b) {
  const auto rank = [](const k8s::Pod& pod) {
    return std::make_tuple(pod.status().reason() != "Evicted", pod.metadata().creation_timestamp(),
                           std::string_view(pod.metadata().name()));
  };
  return rank(*a) < rank(*b);
}

}  // namespace

std::vector<PodPtr> ended_pods_beyond(const PodCache& pods, std::size_t threshold) {
  std::vector<PodPtr> ended;
  for (const auto& [path, pod] : pods) {
    if (is_terminal(*pod)) ended.push_back(pod);
  }
  if (ended.size() <= threshold) return {};
  std::ranges::stable_sort(ended, goes_before);
  ended.resize(ended.size() - threshold);
  return ended;
}

std::vector<PodPtr> unbound_leaving_pods(const PodCache& pods) {
  std::vector<PodPtr> found;
  for (const auto& [path, pod] : pods) {
    if (is_terminating(*pod) && !is_bound(*pod)) found.push_back(pod);
  }
  return found;
}

std::vector<PodPtr> pods_out_of_service(const PodsByNode& pods, const NodeCache& nodes) {
  std::vector<PodPtr> found;
  for (const auto& [name, node] : nodes) {
    if (!is_out_of_service(*node)) continue;
    for (const auto& [path, pod] : pods.on(name)) {
      if (is_terminating(*pod)) found.push_back(pod);
    }
  }
  std::ranges::stable_sort(found, goes_before);
  return found;
}

std::vector<std::string> MissingNodes::look(const PodsByNode& pods, const NodeCache& nodes,
                                            SimTime now) {
  for (const auto& [node, bound] : pods.all()) {
    if (!nodes.contains(node)) due_.try_emplace(node, now + kQuarantine);
  }
  std::vector<std::string> missing;
  std::erase_if(due_, [&](const auto& entry) {
    if (entry.second > now) return false;
    if (!nodes.contains(entry.first)) missing.push_back(entry.first);
    return true;
  });
  return missing;
}

}  // namespace troupe::workloads
