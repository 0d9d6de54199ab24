#include "actors/kube_scheduler/affinity_score.h"

#include "actors/kube_scheduler/max_score.h"

#include <algorithm>

namespace troupe::kube_scheduler {
namespace {

using scheduling::AffinityTerm;
using scheduling::NodeFacts;
using scheduling::NodeInfo;

/// What a required affinity term of a pod that is there counts for one that it matches
/// (DefaultHardPodAffinityWeight).
constexpr std::int64_t kHardWeight = 1;

bool has_preferred(const scheduling::PodInfo& pod) {
  return pod.affinity && (!pod.affinity->preferred_affinity.empty() ||
                          !pod.affinity->preferred_anti_affinity.empty());
}

}  // namespace

AffinityScore::AffinityScore(const scheduling::PodInfo& pod, const scheduling::Snapshot& snapshot)
    : pod_(&pod), snapshot_(&snapshot) {
  const bool own = has_preferred(pod);
  if (!own && !snapshot.any_affinity()) return;
  for (const NodeInfo& node : snapshot.nodes()) {
    if (own) add_own(node);
    add_of_others(node);
  }
  std::erase_if(domains_, [](const auto& entry) { return entry.second == 0; });
}

void AffinityScore::add(const NodeFacts& node, const std::string& key, std::int64_t weight) {
  const std::string* value = node.label(key);
  if (value != nullptr) domains_[{key, *value}] += weight;
}

void AffinityScore::add_own(const NodeInfo& node) {
  for (const NodeInfo::ClassCount& one : node.classes()) {
    const scheduling::LabelClasses::Entry& entry = snapshot_->classes().entry(one.label_class);
    const auto add_terms = [&](const std::vector<AffinityTerm>& terms, int sign) {
      for (const AffinityTerm& term : terms) {
        if (term.matches(entry.name_space, entry.labels)) {
          add(node.facts(), term.topology_key, std::int64_t{sign} * term.weight * one.all);
        }
      }
    };
    add_terms(pod_->affinity->preferred_affinity, 1);
    add_terms(pod_->affinity->preferred_anti_affinity, -1);
  }
}

void AffinityScore::add_of_others(const NodeInfo& node) {
  const LabelMap& labels = pod_->pod->metadata().labels();
  for (const scheduling::PodPtr& other : node.pods_with_affinity()) {
    const auto add_terms = [&](const std::vector<AffinityTerm>& terms, std::int64_t hard,
                               int sign) {
      for (const AffinityTerm& term : terms) {
        if (!term.matches(pod_->name_space(), labels)) continue;
        add(node.facts(), term.topology_key, hard != 0 ? hard : std::int64_t{sign} * term.weight);
      }
    };
    add_terms(other->affinity->required_affinity, kHardWeight, 1);
    add_terms(other->affinity->preferred_affinity, 0, 1);
    add_terms(other->affinity->preferred_anti_affinity, 0, -1);
  }
}

std::vector<std::int64_t> AffinityScore::normalized(std::span<const std::size_t> feasible) const {
  std::vector<std::int64_t> scores;
  scores.reserve(feasible.size());
  for (const std::size_t index : feasible) {
    const NodeFacts& node = snapshot_->nodes()[index].facts();
    std::int64_t sum = 0;
    for (const auto& [domain, weight] : domains_) {
      const std::string* value = node.label(domain.first);
      if (value != nullptr && *value == domain.second) sum += weight;
    }
    scores.push_back(sum);
  }
  if (scores.empty()) return scores;
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  const std::int64_t low = *least;
  const std::int64_t range = *most - low;
  for (std::int64_t& score : scores) {
    if (range == 0) {
      score = 0;
      continue;
    }
    score =
        static_cast<std::int64_t>(static_cast<double>(kMaxScore) *
                                  (static_cast<double>(score - low) / static_cast<double>(range)));
  }
  return scores;
}

}  // namespace troupe::kube_scheduler
