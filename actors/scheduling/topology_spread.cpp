#include "actors/scheduling/topology_spread.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

std::int64_t smallest(const std::map<std::string, std::int64_t>& domains, int min_domains) {
  if (domains.size() < static_cast<std::size_t>(min_domains)) return 0;
  std::int64_t least = INT64_MAX;
  for (const auto& [value, count] : domains) least = std::min(least, count);
  return least == INT64_MAX ? 0 : least;
}

}  // namespace

std::vector<SpreadConstraint> spread_constraints(const k8s::Pod& pod,
                                                 std::string_view when_unsatisfiable) {
  std::vector<SpreadConstraint> constraints;
  for (const auto& spec : pod.spec().topology_spread_constraints()) {
    if (spec.when_unsatisfiable() != when_unsatisfiable) continue;
    SpreadConstraint constraint;
    constraint.topology_key = spec.topology_key();
    constraint.selector = spec.label_selector();
    constraint.has_selector = spec.has_label_selector();
    for (const std::string& key : spec.match_label_keys()) {
      const std::string* value = find_label(pod.metadata().labels(), key);
      if (value == nullptr) continue;
      auto* requirement = constraint.selector.add_match_expressions();
      requirement->set_key(key);
      requirement->set_operator_("In");
      requirement->add_values(*value);
    }
    constraint.max_skew = spec.max_skew();
    constraint.min_domains = spec.has_min_domains() ? spec.min_domains() : 1;
    constraint.honor_affinity = spec.node_affinity_policy() != "Ignore";
    constraint.honor_taints = spec.node_taints_policy() == "Honor";
    constraints.push_back(std::move(constraint));
  }
  return constraints;
}

SpreadFilter::SpreadFilter(const PodInfo& pod, const Snapshot& snapshot) : pod_(&pod) {
  if (pod.pod->spec().topology_spread_constraints().empty()) return;
  for (SpreadConstraint& constraint : spread_constraints(*pod.pod, "DoNotSchedule")) {
    Counted counted{std::move(constraint), {}, 0};
    counted.self = counted.constraint.matches(pod.name_space(), pod.name_space(),
                                              pod.pod->metadata().labels());
    constraints_.push_back(std::move(counted));
  }
  for (Counted& counted : constraints_) {
    ClassMemo memo(snapshot.classes(), [&](const std::string& name_space, const LabelMap& labels) {
      return counted.constraint.matches(pod.name_space(), name_space, labels);
    });
    for (const NodeInfo& node : snapshot.nodes()) {
      if (!has_all_keys(node.facts()) || !counts(counted.constraint, node.facts())) continue;
      const std::string& value = *node.facts().label(counted.constraint.topology_key);
      counted.domains[value] += count_matching(node, memo);
    }
  }
}

bool SpreadFilter::has_all_keys(const NodeFacts& node) const {
  return std::all_of(constraints_.begin(), constraints_.end(), [&node](const Counted& counted) {
    return node.label(counted.constraint.topology_key) != nullptr;
  });
}

bool SpreadFilter::counts(const SpreadConstraint& constraint, const NodeFacts& node) const {
  const k8s::PodSpec& spec = pod_->pod->spec();
  if (constraint.honor_affinity && !matches_node(spec, *node.node)) return false;
  return !constraint.honor_taints ||
         first_untolerated(node.taints(), spec.tolerations()) == nullptr;
}

Rejection SpreadFilter::check(const NodeFacts& node) const {
  for (const Counted& counted : constraints_) {
    const std::string* value = node.label(counted.constraint.topology_key);
    if (value == nullptr) {
      return {Plugin::PodTopologySpread, false, Rejection::kMissingLabel, nullptr};
    }
    const auto at = counted.domains.find(*value);
    const std::int64_t here = at != counted.domains.end() ? at->second : 0;
    const std::int64_t least = smallest(counted.domains, counted.constraint.min_domains);
    if (here + counted.self - least > counted.constraint.max_skew) {
      return {Plugin::PodTopologySpread, true, Rejection::kNone, nullptr};
    }
  }
  return {};
}

void SpreadFilter::update(const PodInfo& other, const NodeFacts& node, int delta) {
  if (constraints_.empty() || !has_all_keys(node)) return;
  for (Counted& counted : constraints_) {
    if (!counts(counted.constraint, node)) continue;
    if (!counted.constraint.matches(pod_->name_space(), other.name_space(),
                                    other.pod->metadata().labels())) {
      continue;
    }
    counted.domains[*node.label(counted.constraint.topology_key)] += delta;
  }
}

}  // namespace troupe::scheduling
