#include "actors/karpenter/scheduling/topology.h"

#include <algorithm>
#include <limits>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/objects/pods.h"

namespace troupe::karpenter {
namespace {

PodFilter filter_of(const k8s::Pod& pod, const k8s::PodAffinityTerm& term) {
  PodFilter filter;
  filter.namespaces.insert(term.namespaces().begin(), term.namespaces().end());
  if (term.has_namespace_selector()) {
    // Namespaces are known by their name alone here: a selector over their labels is taken to
    // select them all.
    filter.every_namespace = true;
  } else if (filter.namespaces.empty()) {
    filter.namespaces.insert(pod.metadata().namespace_());
  }
  if (term.has_label_selector()) filter.selector = term.label_selector();
  return filter;
}

TopologyGroup::Rule rule_of(const k8s::Pod& pod, const k8s::PodAffinityTerm& term,
                            TopologyType type) {
  TopologyGroup::Rule rule;
  rule.type = type;
  rule.key = term.topology_key();
  rule.pods = filter_of(pod, term);
  rule.max_skew = std::numeric_limits<int>::max();
  return rule;
}

NodeFilter node_filter_of(const SimulatedPod& pod, const k8s::TopologySpreadConstraint& spread) {
  NodeFilter filter;
  filter.honors_affinity = spread.node_affinity_policy() != "Ignore";  // default Honor
  filter.honors_taints = spread.node_taints_policy() == "Honor";       // default Ignore
  filter.tolerations = pod.tolerations();
  const Requirements selector = Requirements::of_labels(pod.pod().spec().node_selector());
  const auto& terms = pod.affinity()
                          .node_affinity()
                          .required_during_scheduling_ignored_during_execution()
                          .node_selector_terms();
  if (terms.empty()) filter.alternatives.push_back(selector);
  for (const k8s::NodeSelectorTerm& term : terms) {
    filter.alternatives.push_back(selector);
    filter.alternatives.back().add(Requirements::of(term.match_expressions()));
  }
  return filter;
}

TopologyGroup::Rule rule_of(const SimulatedPod& pod, const k8s::TopologySpreadConstraint& spread) {
  TopologyGroup::Rule rule;
  rule.key = spread.topology_key();
  rule.pods.namespaces.insert(pod.pod().metadata().namespace_());
  if (spread.has_label_selector()) rule.pods.selector = spread.label_selector();
  for (const std::string& key : spread.match_label_keys()) {
    const std::string* value = find_label(pod.pod().metadata().labels(), key);
    if (value == nullptr || !rule.pods.selector) continue;
    k8s::LabelSelectorRequirement& added = *rule.pods.selector->add_match_expressions();
    added.set_key(key);
    added.set_operator_("In");
    added.add_values(*value);
  }
  rule.nodes = node_filter_of(pod, spread);
  rule.max_skew = spread.max_skew();
  if (spread.has_min_domains()) rule.min_domains = spread.min_domains();
  return rule;
}

void add_rules(std::vector<TopologyGroup::Rule>& rules, const SimulatedPod& pod, bool preferred,
               TopologyType type) {
  const bool anti = type == TopologyType::AntiAffinity;
  const k8s::PodAffinity& affinity =
      anti ? pod.affinity().pod_anti_affinity() : pod.affinity().pod_affinity();
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution()) {
    rules.push_back(rule_of(pod.pod(), term, type));
  }
  if (!preferred) return;
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    rules.push_back(rule_of(pod.pod(), term.pod_affinity_term(), type));
  }
}

}  // namespace

Topology::Topology(const Input& input, std::span<const SimulatedPod> pods)
    : nodes_(input.nodes), preferences_(input.preferences) {
  std::set<std::string_view> placed;
  for (const SimulatedPod& pod : pods) placed.insert(pod.uid());
  for (const BoundPod& bound : input.bound) {
    if (is_active(*bound.pod) && !placed.contains(bound.pod->metadata().uid()))
      bound_.push_back(bound);
  }
  collect_domains(input.pools);
  count_running_anti_affinity();
  for (const SimulatedPod& pod : pods) update(pod);
}

void Topology::collect_domains(const std::vector<PoolTemplate>& pools) {
  for (const PoolTemplate& pool : pools) {
    for (const InstanceType* type : pool.types) {
      // The pool narrows what the type offers, so that a zone outside it is no domain.
      Requirements both = pool.requirements;
      both.add(type->requirements);
      for (const ValueSet& set : both.all()) {
        if (set.op() != Operator::In) continue;
        for (const std::string& value : set.values())
          universe_.add(set.key(), value, pool.taints());
      }
    }
  }
}

void Topology::count_running_anti_affinity() {
  for (const BoundPod& bound : bound_) {
    if (bound.pod->spec().affinity().has_pod_anti_affinity()) {
      update_inverse(*bound.pod, bound.pod->spec().affinity(), bound.node.get());
    }
  }
}

void Topology::update_inverse(const k8s::Pod& pod, const k8s::Affinity& affinity,
                              const k8s::Node* node) {
  const auto& terms =
      affinity.pod_anti_affinity().required_during_scheduling_ignored_during_execution();
  for (const k8s::PodAffinityTerm& term : terms) {
    TopologyGroup::Rule rule = rule_of(pod, term, TopologyType::AntiAffinity);
    const std::string identity = TopologyGroup::identity(rule);
    TopologyGroup& group = inverse_.try_emplace(identity, std::move(rule), universe_).first->second;
    const std::string* domain =
        node != nullptr ? find_label(node->metadata().labels(), group.key()) : nullptr;
    if (domain != nullptr) group.record(*domain);
    group.add_owner(pod.metadata().uid());
  }
}

std::vector<TopologyGroup::Rule> Topology::rules_of(const SimulatedPod& pod) const {
  std::vector<TopologyGroup::Rule> rules;
  const bool preferred = preferences_ == PreferencePolicy::Respect;
  for (const k8s::TopologySpreadConstraint& spread : pod.spreads()) {
    if (preferred || spread.when_unsatisfiable() == "DoNotSchedule")
      rules.push_back(rule_of(pod, spread));
  }
  add_rules(rules, pod, preferred, TopologyType::Affinity);
  add_rules(rules, pod, preferred, TopologyType::AntiAffinity);
  return rules;
}

void Topology::update(const SimulatedPod& pod) {
  for (auto& [identity, group] : groups_) group.remove_owner(pod.uid());
  if (pod.affinity().has_pod_anti_affinity()) update_inverse(pod.pod(), pod.affinity(), nullptr);
  for (TopologyGroup::Rule& rule : rules_of(pod)) {
    const std::string identity = TopologyGroup::identity(rule);
    const auto [at, added] = groups_.try_emplace(identity, std::move(rule), universe_);
    if (added) count_domains(at->second);
    at->second.add_owner(pod.uid());
  }
}

void Topology::count_domains(TopologyGroup& group) const {
  const auto domain_of = [&group](const k8s::Node& node) -> const std::string* {
    const std::string* label = find_label(node.metadata().labels(), group.key());
    return label == nullptr && group.key() == kHostnameLabel ? &node.metadata().name() : label;
  };
  const auto takes_part = [&group](const k8s::Node& node) {
    return group.type() != TopologyType::Spread ||
           group.rule().nodes.matches(node.spec().taints(),
                                      Requirements::of_labels(node.metadata().labels()));
  };
  for (const auto& node : nodes_) {
    const std::string* domain = domain_of(*node);
    if (domain != nullptr && takes_part(*node)) group.add_domain(*domain);
  }
  for (const BoundPod& bound : bound_) {
    if (!group.rule().pods.selects(*bound.pod)) continue;
    const std::string* domain = domain_of(*bound.node);
    if (domain != nullptr && takes_part(*bound.node)) group.record(*domain);
  }
}

void Topology::add_host(const std::string& host) {
  for (Groups* groups : {&groups_, &inverse_}) {
    for (auto& [identity, group] : *groups) {
      if (group.key() == kHostnameLabel) group.add_domain(host);
    }
  }
}

Result<Requirements> Topology::add_requirements(const SimulatedPod& pod, const Taints& taints,
                                                const Requirements& node) const {
  Requirements result = node;
  const auto narrow = [&](const TopologyGroup& group) -> Result<void> {
    const ValueSet pod_domains = pod.strict_requirements().get(group.key());
    const ValueSet node_domains = node.get(group.key());
    const ValueSet domains = group.next(pod, pod_domains, node_domains);
    if (domains.is_empty()) return fail(group.refusal(pod_domains, node_domains));
    result.add(domains);
    return {};
  };
  for (const auto& [identity, group] : groups_) {
    if (!group.is_owned_by(pod.uid())) continue;
    if (auto narrowed = narrow(group); !narrowed) return tl::unexpected(narrowed.error());
  }
  for (const auto& [identity, group] : inverse_) {
    if (!group.counts(pod.pod(), taints, node)) continue;
    if (auto narrowed = narrow(group); !narrowed) return tl::unexpected(narrowed.error());
  }
  return result;
}

void Topology::record(const SimulatedPod& pod, const Taints& taints, const Requirements& node) {
  for (auto& [identity, group] : groups_) {
    if (!group.counts(pod.pod(), taints, node)) continue;
    const ValueSet domains = node.get(group.key());
    if (group.type() == TopologyType::AntiAffinity) {
      // Wherever it might still land is taken.
      if (domains.op() != Operator::In) continue;
      for (const std::string& domain : domains.values()) group.record(domain);
    } else if (domains.is_single()) {
      group.record(domains.values().front());
    }
  }
  for (auto& [identity, group] : inverse_) {
    if (!group.is_owned_by(pod.uid())) continue;
    const ValueSet domains = node.get(group.key());
    if (domains.op() != Operator::In) continue;
    for (const std::string& domain : domains.values()) group.record(domain);
  }
}

}  // namespace troupe::karpenter
