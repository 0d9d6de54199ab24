// One rule of spread, affinity or anti-affinity with the count of matching pods in each domain of
// its key.
//
// A thousand replicas that share a rule share one group. A group answers one question: given where
// the pod may go and where the node may be, in which domains may it land?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actors/karpenter/scheduling/requirements.h"
#include "actors/karpenter/scheduling/simulated_pod.h"
#include "actors/workloads/objects/taints.h"

namespace troupe::karpenter {

enum class TopologyType : std::uint8_t { Spread, Affinity, AntiAffinity };

/// Which nodes take part in a spread: by the pod's own node selector and affinity, and perhaps by
/// its tolerations.
struct NodeFilter {
  std::vector<Requirements> alternatives;  ///< one must hold; none: every node
  bool honors_affinity = true;
  bool honors_taints = false;
  Tolerations tolerations;

  [[nodiscard]] bool matches(const Taints& taints, const Requirements& requirements) const;
  [[nodiscard]] std::string identity() const;
};

/// Which pods a rule counts.
struct PodFilter {
  std::set<std::string> namespaces;
  bool every_namespace = false;
  std::optional<k8s::LabelSelector> selector;  ///< none selects nothing

  [[nodiscard]] bool selects(const k8s::Pod& pod) const;
  [[nodiscard]] std::string identity() const;
};

/// A domain exists where some pool can make a node in it; the taints say which pods can use it
/// there.
class DomainUniverse {
 public:
  void add(const std::string& key, const std::string& domain, const Taints& taints);
  /// The domains of a key that a pod with these tolerations can use; all of them if taints are not
  /// honoured.
  [[nodiscard]] std::vector<std::string> domains(const std::string& key,
                                                 const NodeFilter& filter) const;

 private:
  std::map<std::string, std::map<std::string, std::vector<Taints>>> keys_;
};

class TopologyGroup {
 public:
  struct Rule {
    TopologyType type = TopologyType::Spread;
    std::string key;
    PodFilter pods;
    NodeFilter nodes;  ///< of a spread only
    int max_skew = 1;
    std::optional<int> min_domains;
  };

  TopologyGroup(Rule rule, const DomainUniverse& universe);

  [[nodiscard]] const std::string& key() const { return rule_.key; }
  [[nodiscard]] TopologyType type() const { return rule_.type; }
  [[nodiscard]] const Rule& rule() const { return rule_; }
  /// Equal for rules that can share one group.
  [[nodiscard]] static std::string identity(const Rule& rule);

  void add_owner(const std::string& uid) { owners_.insert(uid); }
  void remove_owner(const std::string& uid) { owners_.erase(uid); }
  [[nodiscard]] bool is_owned_by(const std::string& uid) const { return owners_.contains(uid); }

  /// Makes a domain known, without pods.
  void add_domain(const std::string& domain);
  /// One more matching pod in it.
  void record(const std::string& domain);
  /// Whether the pod would count, on a node like this.
  [[nodiscard]] bool counts(const k8s::Pod& pod, const Taints& taints,
                            const Requirements& node) const;

  /// The domains in which the pod may land; empty if there is none.
  [[nodiscard]] ValueSet next(const SimulatedPod& pod, const ValueSet& pod_domains,
                              const ValueSet& node_domains) const;
  /// "unsatisfiable topology constraint for topology spread, key=...", as Karpenter words it.
  [[nodiscard]] std::string refusal(const ValueSet& pod_domains,
                                    const ValueSet& node_domains) const;

 private:
  [[nodiscard]] ValueSet next_spread(const SimulatedPod& pod, const ValueSet& pod_domains,
                                     const ValueSet& node_domains) const;
  [[nodiscard]] ValueSet next_affinity(const SimulatedPod& pod, const ValueSet& pod_domains,
                                       const ValueSet& node_domains) const;
  [[nodiscard]] ValueSet next_anti_affinity(const ValueSet& pod_domains,
                                            const ValueSet& node_domains) const;
  [[nodiscard]] bool is_one_host(const ValueSet& node_domains) const;
  [[nodiscard]] int least_count(const ValueSet& pod_domains) const;
  [[nodiscard]] int count(const std::string& domain) const;
  [[nodiscard]] bool has_populated(const ValueSet& pod_domains) const;

  Rule rule_;
  std::set<std::string> owners_;
  std::map<std::string, int> domains_;  ///< matching pods in each
  std::set<std::string> empty_;         ///< domains without any
};

}  // namespace troupe::karpenter
