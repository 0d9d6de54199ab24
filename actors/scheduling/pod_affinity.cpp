#include "actors/scheduling/pod_affinity.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

std::int64_t count_at(const std::map<std::pair<std::string, std::string>, std::int64_t>& counts,
                      const std::string& key, const std::string& value) {
  const auto at = counts.find({key, value});
  return at != counts.end() ? at->second : 0;
}

}  // namespace

AffinityFilter::AffinityFilter(const PodInfo& pod, const Snapshot& snapshot) : pod_(&pod) {
  const bool has_terms = pod.affinity && (!pod.affinity->required_affinity.empty() ||
                                          !pod.affinity->required_anti_affinity.empty());
  if (has_terms) {
    terms_ = pod.affinity.get();
    count_wanted(snapshot);
  }
  if (!snapshot.any_affinity()) return;
  for (const NodeInfo& node : snapshot.nodes()) {
    for (const PodPtr& other : node.pods_with_affinity()) count_refused(*other, node.facts(), 1);
  }
}

void AffinityFilter::count_wanted(const Snapshot& snapshot) {
  ClassMemo all_affinity(snapshot.classes(), [&](const std::string& space, const LabelMap& labels) {
    return !terms_->required_affinity.empty() && matches_all_affinity(space, labels);
  });
  for (const NodeInfo& node : snapshot.nodes()) {
    for (const NodeInfo::ClassCount& one : node.classes()) {
      const LabelClasses::Entry& entry = snapshot.classes().entry(one.label_class);
      std::vector<bool> anti;
      for (const AffinityTerm& term : terms_->required_anti_affinity) {
        anti.push_back(term.matches(entry.name_space, entry.labels));
      }
      count_for_terms(node.facts(), all_affinity(one.label_class), anti, one.all);
    }
  }
}

void AffinityFilter::count_for_terms(const NodeFacts& node, bool all_affinity,
                                     const std::vector<bool>& anti, std::int64_t delta) {
  if (all_affinity) {
    for (const AffinityTerm& term : terms_->required_affinity) {
      const std::string* value = node.label(term.topology_key);
      if (value != nullptr) wanted_[{term.topology_key, *value}] += delta;
    }
  }
  for (std::size_t i = 0; i < anti.size(); ++i) {
    if (!anti[i]) continue;
    const std::string& key = terms_->required_anti_affinity[i].topology_key;
    const std::string* value = node.label(key);
    if (value != nullptr) unwanted_[{key, *value}] += delta;
  }
}

void AffinityFilter::count_refused(const PodInfo& other, const NodeFacts& node,
                                   std::int64_t delta) {
  if (!other.affinity) return;
  for (const AffinityTerm& term : other.affinity->required_anti_affinity) {
    const std::string* value = node.label(term.topology_key);
    if (value == nullptr) continue;
    if (term.matches(pod_->name_space(), pod_->pod->metadata().labels())) {
      refused_[{term.topology_key, *value}] += delta;
    }
  }
}

bool AffinityFilter::matches_all_affinity(const std::string& name_space,
                                          const LabelMap& labels) const {
  return std::all_of(terms_->required_affinity.begin(), terms_->required_affinity.end(),
                     [&](const AffinityTerm& term) { return term.matches(name_space, labels); });
}

bool AffinityFilter::affinity_holds(const NodeFacts& node) const {
  bool others_exist = true;
  for (const AffinityTerm& term : terms_->required_affinity) {
    const std::string* value = node.label(term.topology_key);
    if (value == nullptr) return false;
    if (count_at(wanted_, term.topology_key, *value) <= 0) others_exist = false;
  }
  // The first pod of a group that wants to be with its like may go anywhere.
  const bool none_anywhere = std::all_of(wanted_.begin(), wanted_.end(),
                                         [](const auto& entry) { return entry.second <= 0; });
  return others_exist || (none_anywhere &&
                          matches_all_affinity(pod_->name_space(), pod_->pod->metadata().labels()));
}

Rejection AffinityFilter::check(const NodeFacts& node) const {
  if (terms_ != nullptr) {
    if (!terms_->required_affinity.empty() && !affinity_holds(node)) {
      return {Plugin::InterPodAffinity, false, Rejection::kAffinity, nullptr};
    }
    for (const AffinityTerm& term : terms_->required_anti_affinity) {
      const std::string* value = node.label(term.topology_key);
      if (value != nullptr && count_at(unwanted_, term.topology_key, *value) > 0) {
        return {Plugin::InterPodAffinity, true, Rejection::kAntiAffinity, nullptr};
      }
    }
  }
  for (const auto& [domain, count] : refused_) {
    const std::string* value = count > 0 ? node.label(domain.first) : nullptr;
    if (value != nullptr && *value == domain.second) {
      return {Plugin::InterPodAffinity, true, Rejection::kExistingAntiAffinity, nullptr};
    }
  }
  return {};
}

void AffinityFilter::update(const PodInfo& other, const NodeFacts& node, int delta) {
  count_refused(other, node, delta);
  if (terms_ == nullptr) return;
  const LabelMap& labels = other.pod->metadata().labels();
  std::vector<bool> anti;
  for (const AffinityTerm& term : terms_->required_anti_affinity) {
    anti.push_back(term.matches(other.name_space(), labels));
  }
  const bool all =
      !terms_->required_affinity.empty() && matches_all_affinity(other.name_space(), labels);
  count_for_terms(node, all, anti, delta);
}

}  // namespace troupe::scheduling
