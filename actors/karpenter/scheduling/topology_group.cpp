#include "actors/karpenter/scheduling/topology_group.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "actors/karpenter/scheduling/labels.h"
#include "actors/scheduling/node_match.h"
#include "messages/selector.h"

namespace troupe::karpenter {
namespace {

constexpr std::array<std::string_view, 3> kTypeNames = {"topology spread", "pod affinity",
                                                        "pod anti-affinity"};
/// Karpenter prints so many counts and leaves out the rest.
constexpr std::size_t kPrintedCounts = 25;

template <class Messages>
std::string bytes_of(const Messages& messages) {
  std::string bytes;
  for (const auto& message : messages) bytes += message.SerializeAsString() + '\n';
  return bytes;
}

}  // namespace

bool NodeFilter::matches(const Taints& taints, const Requirements& requirements) const {
  if (honors_taints && scheduling::first_untolerated(taints, tolerations) != nullptr) return false;
  if (!honors_affinity || alternatives.empty()) return true;
  return std::ranges::any_of(alternatives, [&requirements](const Requirements& wanted) {
    return requirements.is_compatible(wanted, Undefined::Refused);
  });
}

std::string NodeFilter::identity() const {
  std::string text = honors_affinity ? "affinity" : "";
  if (honors_taints) text += "taints" + bytes_of(tolerations);
  for (const Requirements& wanted : alternatives) text += '|' + wanted.to_string();
  return text;
}

bool PodFilter::selects(const k8s::Pod& pod) const {
  return selector && (every_namespace || namespaces.contains(pod.metadata().namespace_())) &&
         matches(*selector, pod.metadata().labels());
}

std::string PodFilter::identity() const {
  std::string text = every_namespace ? "*" : "";
  for (const std::string& name : namespaces) text += name + ',';
  return text + '|' + (selector ? selector->SerializeAsString() : "-");
}

void DomainUniverse::add(const std::string& key, const std::string& domain, const Taints& taints) {
  std::vector<Taints>& ways = keys_[key][domain];
  const bool untainted = !ways.empty() && ways.front().empty();
  if (untainted) return;  // whoever asks can have it already
  if (taints.empty()) ways.clear();
  ways.push_back(taints);
}

std::vector<std::string> DomainUniverse::domains(const std::string& key,
                                                 const NodeFilter& filter) const {
  std::vector<std::string> result;
  const auto at = keys_.find(key);
  if (at == keys_.end()) return result;
  for (const auto& [domain, ways] : at->second) {
    const bool usable =
        !filter.honors_taints || std::ranges::any_of(ways, [&](const Taints& taints) {
          return scheduling::first_untolerated(taints, filter.tolerations) == nullptr;
        });
    if (usable) result.push_back(domain);
  }
  return result;
}

TopologyGroup::TopologyGroup(Rule rule, const DomainUniverse& universe) : rule_(std::move(rule)) {
  for (const std::string& domain : universe.domains(rule_.key, rule_.nodes)) add_domain(domain);
}

std::string TopologyGroup::identity(const Rule& rule) {
  return std::string(kTypeNames[static_cast<std::size_t>(rule.type)]) + '|' + rule.key + '|' +
         std::to_string(rule.max_skew) + '|' + rule.nodes.identity() + '|' + rule.pods.identity();
}

void TopologyGroup::add_domain(const std::string& domain) {
  if (domains_.try_emplace(domain, 0).second) empty_.insert(domain);
}

void TopologyGroup::record(const std::string& domain) {
  ++domains_[domain];
  empty_.erase(domain);
}

bool TopologyGroup::counts(const k8s::Pod& pod, const Taints& taints,
                           const Requirements& node) const {
  if (!rule_.pods.selects(pod)) return false;
  return rule_.type != TopologyType::Spread || rule_.nodes.matches(taints, node);
}

ValueSet TopologyGroup::next(const SimulatedPod& pod, const ValueSet& pod_domains,
                             const ValueSet& node_domains) const {
  switch (rule_.type) {
    case TopologyType::Spread:
      return next_spread(pod, pod_domains, node_domains);
    case TopologyType::Affinity:
      return next_affinity(pod, pod_domains, node_domains);
    default:
      return next_anti_affinity(pod_domains, node_domains);
  }
}

bool TopologyGroup::is_one_host(const ValueSet& node_domains) const {
  return rule_.key == kHostnameLabel && node_domains.is_single();
}

int TopologyGroup::count(const std::string& domain) const {
  const auto at = domains_.find(domain);
  return at != domains_.end() ? at->second : 0;
}

int TopologyGroup::least_count(const ValueSet& pod_domains) const {
  if (rule_.key == kHostnameLabel) return 0;  // a new node is an empty domain
  int least = std::numeric_limits<int>::max();
  int usable = 0;
  for (const auto& [domain, pods] : domains_) {
    if (!pod_domains.has(domain)) continue;
    ++usable;
    least = std::min(least, pods);
  }
  return rule_.min_domains && usable < *rule_.min_domains ? 0 : least;
}

ValueSet TopologyGroup::next_spread(const SimulatedPod& pod, const ValueSet& pod_domains,
                                    const ValueSet& node_domains) const {
  const int self = rule_.pods.selects(pod.pod()) ? 1 : 0;
  if (is_one_host(node_domains)) {
    const std::string& host = node_domains.values().front();
    if (count(host) + self <= rule_.max_skew) return {rule_.key, Operator::In, {host}};
    return {rule_.key, Operator::DoesNotExist};
  }
  const std::int64_t least = least_count(pod_domains);
  const std::string* best = nullptr;
  int best_count = 0;
  for (const auto& [domain, pods] : domains_) {
    if (!node_domains.has(domain)) continue;
    const int with_pod = pods + self;
    if (with_pod - least > rule_.max_skew) continue;
    if (best == nullptr || with_pod < best_count) {
      best = &domain;
      best_count = with_pod;
    }
  }
  if (best == nullptr) return {rule_.key, Operator::DoesNotExist};
  return {rule_.key, Operator::In, {*best}};
}

bool TopologyGroup::has_populated(const ValueSet& pod_domains) const {
  return std::ranges::any_of(domains_, [&pod_domains](const auto& entry) {
    return entry.second > 0 && pod_domains.has(entry.first);
  });
}

ValueSet TopologyGroup::next_affinity(const SimulatedPod& pod, const ValueSet& pod_domains,
                                      const ValueSet& node_domains) const {
  ValueSet options(rule_.key, Operator::DoesNotExist);
  // The first pod of a group that selects itself may start anywhere.
  const auto may_begin = [&] {
    return rule_.pods.selects(pod.pod()) &&
           (domains_.size() == empty_.size() || !has_populated(pod_domains));
  };
  if (is_one_host(node_domains)) {
    const std::string& host = node_domains.values().front();
    if (pod_domains.has(host) && (count(host) > 0 || may_begin())) options.insert(host);
    return options;
  }
  for (const auto& [domain, pods] : domains_) {
    if (pods > 0 && pod_domains.has(domain) && node_domains.has(domain)) options.insert(domain);
  }
  if (!options.is_empty() || !may_begin()) return options;

  const ValueSet both = pod_domains.intersection(node_domains);
  const auto first_in = [this](const ValueSet& set) {
    return std::ranges::find_if(domains_,
                                [&set](const auto& entry) { return set.has(entry.first); });
  };
  // Where the node already is, if it may be used; else the first domain that the pod allows.
  for (const ValueSet* set : {&both, &pod_domains}) {
    const auto at = first_in(*set);
    if (at == domains_.end()) continue;
    options.insert(at->first);
    break;
  }
  return options;
}

ValueSet TopologyGroup::next_anti_affinity(const ValueSet& pod_domains,
                                           const ValueSet& node_domains) const {
  ValueSet options(rule_.key, Operator::DoesNotExist);
  if (is_one_host(node_domains)) {
    const std::string& host = node_domains.values().front();
    if (count(host) == 0) options.insert(host);
    return options;
  }
  if (node_domains.op() == Operator::In && node_domains.values().size() < empty_.size()) {
    for (const std::string& domain : node_domains.values()) {
      if (empty_.contains(domain) && pod_domains.has(domain)) options.insert(domain);
    }
    return options;
  }
  for (const std::string& domain : empty_) {
    if (node_domains.has(domain) && pod_domains.has(domain)) options.insert(domain);
  }
  return options;
}

std::string TopologyGroup::refusal(const ValueSet& pod_domains,
                                   const ValueSet& node_domains) const {
  std::string counts;
  std::size_t printed = 0;
  for (const auto& [domain, pods] : domains_) {
    if (++printed > kPrintedCounts) break;
    counts += (counts.empty() ? "" : ", ") + domain + ": " + std::to_string(pods);
  }
  return "unsatisfiable topology constraint for " +
         std::string(kTypeNames[static_cast<std::size_t>(rule_.type)]) + ", key=" + rule_.key +
         " (counts = " + counts + ", podDomains = " + pod_domains.to_string() +
         ", nodeDomains = " + node_domains.to_string() + ")";
}

}  // namespace troupe::karpenter
