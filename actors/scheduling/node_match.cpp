#include "actors/scheduling/node_match.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace troupe::scheduling {
namespace {

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Operators Lt and Gt of a toleration (Kubernetes 1.35): the taint's number against the
/// toleration's.
bool compares(const k8s::Toleration& toleration, const k8s::Taint& taint) {
  const auto of_taint = number_of(taint.value());
  const auto bound = number_of(toleration.value());
  if (!of_taint || !bound) return false;
  return toleration.operator_() == "Lt" ? *of_taint < *bound : *of_taint > *bound;
}

}  // namespace

bool selects_nodes(const k8s::PodSpec& spec) {
  return !spec.node_selector().empty() ||
         spec.affinity().node_affinity().has_required_during_scheduling_ignored_during_execution();
}

bool matches_node(const k8s::PodSpec& spec, const k8s::Node& node) {
  if (!contains_all(node.metadata().labels(), spec.node_selector())) return false;
  const k8s::NodeAffinity& affinity = spec.affinity().node_affinity();
  return !affinity.has_required_during_scheduling_ignored_during_execution() ||
         matches(affinity.required_during_scheduling_ignored_during_execution(), node.metadata());
}

bool tolerates(const k8s::Toleration& toleration, const k8s::Taint& taint) {
  if (!toleration.effect().empty() && toleration.effect() != taint.effect()) return false;
  if (!toleration.key().empty() && toleration.key() != taint.key()) return false;
  const std::string& op = toleration.operator_();
  if (op == "Exists") return true;
  if (op == "Lt" || op == "Gt") return compares(toleration, taint);
  return toleration.value() == taint.value();
}

bool tolerates(const TolerationList& tolerations, const k8s::Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&taint](const k8s::Toleration& one) { return tolerates(one, taint); });
}

bool is_hard(const k8s::Taint& taint) {
  return taint.effect() == "NoSchedule" || taint.effect() == "NoExecute";
}

const k8s::Taint* first_untolerated(const TaintList& taints, const TolerationList& tolerations) {
  const auto at = std::find_if(taints.begin(), taints.end(), [&](const k8s::Taint& taint) {
    return is_hard(taint) && !tolerates(tolerations, taint);
  });
  return at != taints.end() ? &*at : nullptr;
}

}  // namespace troupe::scheduling
