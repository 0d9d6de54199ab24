#include "actors/kube_scheduler/scores.h"

#include <algorithm>

#include "actors/kube_scheduler/affinity_score.h"
#include "actors/kube_scheduler/max_score.h"
#include "actors/kube_scheduler/spread_score.h"

namespace troupe::kube_scheduler {
namespace {

using scheduling::NodeInfo;

// imagelocality/image_locality.go: minThreshold, maxContainerThreshold.
constexpr std::int64_t kMinImageBytes = 23LL * 1024 * 1024;
constexpr std::int64_t kMaxImageBytes = 1000LL * 1024 * 1024;

void add_weighted(std::vector<std::int64_t>& totals, const std::vector<std::int64_t>& scores,
                  std::int64_t weight) {
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += scores[i] * weight;
}

/// helper.DefaultNormalizeScore: scales the largest to 100; reversed, the smallest is the best.
void normalize(std::vector<std::int64_t>& scores, bool reverse) {
  const std::int64_t most = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  for (std::int64_t& score : scores) {
    score = most == 0 ? 0 : score * kMaxScore / most;
    if (reverse) score = kMaxScore - score;
  }
}

const NodeInfo& node_at(const ScoreInput& input, std::size_t i) {
  return input.snapshot.nodes()[input.feasible[i]];
}

void add_resources(const ScoreInput& input, const ScoreWeights& weights,
                   std::vector<std::int64_t>& totals) {
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const NodeInfo& node = node_at(input, i);
    totals[i] += weights.resources_fit * fit_score(input.resources, input.pod, node) +
                 weights.balanced_allocation * balance_score(input.pod, node);
  }
}

/// Taints PreferNoSchedule that the pod does not tolerate; none at all scores 100.
void add_taints(const ScoreInput& input, std::int64_t weight, std::vector<std::int64_t>& totals) {
  const auto& tolerations = input.pod.pod->spec().tolerations();
  std::vector<std::int64_t> scores(totals.size(), 0);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const scheduling::NodeFacts& node = node_at(input, i).facts();
    if (!node.has_soft_taints) continue;
    scores[i] = std::count_if(node.taints().begin(), node.taints().end(), [&](const auto& taint) {
      return !scheduling::is_hard(taint) && !scheduling::tolerates(tolerations, taint);
    });
  }
  normalize(scores, true);
  add_weighted(totals, scores, weight);
}

void add_node_affinity(const ScoreInput& input, std::int64_t weight,
                       std::vector<std::int64_t>& totals) {
  const auto& preferred = input.pod.pod->spec()
                              .affinity()
                              .node_affinity()
                              .preferred_during_scheduling_ignored_during_execution();
  if (preferred.empty()) return;
  std::vector<std::int64_t> scores(totals.size(), 0);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const k8s::ObjectMeta& meta = node_at(input, i).facts().node->metadata();
    for (const auto& term : preferred) {
      if (matches(term.preference(), meta)) scores[i] += term.weight();
    }
  }
  normalize(scores, false);
  add_weighted(totals, scores, weight);
}

std::int64_t image_bytes(const NodeInfo& node, const std::string& name) {
  const auto& images = node.facts().images;
  const auto at = std::lower_bound(
      images.begin(), images.end(), name,
      [](const auto& image, const std::string& wanted) { return image.name < wanted; });
  return at != images.end() && at->name == name ? at->bytes : 0;
}

/// An image of the pod that some node holds, and the share of the nodes that do.
struct HeldImage {
  const std::string& name;
  double share;
};

std::vector<HeldImage> held_images(const ScoreInput& input) {
  const k8s::PodSpec& spec = input.pod.pod->spec();
  const auto nodes = static_cast<double>(input.snapshot.nodes().size());
  std::vector<HeldImage> images;
  const auto add = [&](const k8s::Container& container) {
    const std::size_t holders = input.snapshot.nodes_with_image(container.image());
    if (holders == 0) return;
    images.push_back({container.image(), static_cast<double>(holders) / nodes});
  };
  for (const k8s::Container& container : spec.init_containers()) add(container);
  for (const k8s::Container& container : spec.containers()) add(container);
  return images;
}

/// Bytes of the pod's images that are on the node, each scaled by the share of nodes that hold it.
void add_images(const ScoreInput& input, std::int64_t weight, std::vector<std::int64_t>& totals) {
  const k8s::PodSpec& spec = input.pod.pod->spec();
  const std::int64_t most = kMaxImageBytes * (spec.containers_size() + spec.init_containers_size());
  const std::vector<HeldImage> images = held_images(input);
  if (images.empty()) return;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    std::int64_t sum = 0;
    for (const HeldImage& image : images) {
      const std::int64_t bytes = image_bytes(node_at(input, i), image.name);
      sum += static_cast<std::int64_t>(static_cast<double>(bytes) * image.share);
    }
    const std::int64_t bounded = std::clamp(sum, kMinImageBytes, most);
    totals[i] += weight * (kMaxScore * (bounded - kMinImageBytes) / (most - kMinImageBytes));
  }
}

}  // namespace

std::vector<std::int64_t> total_scores(const ScoreInput& input, const ScoreWeights& weights) {
  std::vector<std::int64_t> totals(input.feasible.size(), 0);
  add_resources(input, weights, totals);
  add_taints(input, weights.taint_toleration, totals);
  add_node_affinity(input, weights.node_affinity, totals);
  add_images(input, weights.image_locality, totals);
  const SpreadScore spread(input.pod, input.snapshot, input.feasible, input.default_spread);
  if (!spread.empty()) add_weighted(totals, spread.normalized(), weights.topology_spread);
  const AffinityScore affinity(input.pod, input.snapshot);
  if (!affinity.empty()) {
    add_weighted(totals, affinity.normalized(input.feasible), weights.inter_pod_affinity);
  }
  return totals;
}

}  // namespace troupe::kube_scheduler
