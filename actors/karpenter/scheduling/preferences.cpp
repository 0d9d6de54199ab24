#include "actors/karpenter/scheduling/preferences.h"

#include <algorithm>

namespace troupe::karpenter {
namespace {

/// Takes the heaviest term out; the first of several of that weight. True if there was one.
template <class Terms>
bool drop_heaviest(Terms& terms) {
  if (terms.empty()) return false;
  terms.erase(std::ranges::max_element(terms, {}, [](const auto& term) { return term.weight(); }));
  return true;
}

}  // namespace

std::optional<std::string> Preferences::relax(bool tolerate) {
  using Step = std::optional<std::string> (Preferences::*)();
  constexpr Step kSteps[] = {
      &Preferences::drop_required_node_term, &Preferences::drop_preferred_pod_affinity,
      &Preferences::drop_preferred_pod_anti_affinity, &Preferences::drop_preferred_node_term,
      &Preferences::drop_schedule_anyway_spread};
  for (const Step step : kSteps) {
    if (auto given_up = (this->*step)()) return given_up;
  }
  return tolerate ? tolerate_prefer_no_schedule() : std::nullopt;
}

std::optional<std::string> Preferences::drop_required_node_term() {
  if (!affinity_.node_affinity().has_required_during_scheduling_ignored_during_execution()) {
    return std::nullopt;
  }
  auto& terms = *affinity_.mutable_node_affinity()
                     ->mutable_required_during_scheduling_ignored_during_execution()
                     ->mutable_node_selector_terms();
  if (terms.size() < 2) return std::nullopt;  // the last alternative is a requirement
  terms.erase(terms.begin());
  return "required node affinity term";
}

std::optional<std::string> Preferences::drop_preferred_pod_affinity() {
  if (!affinity_.has_pod_affinity()) return std::nullopt;
  auto& terms = *affinity_.mutable_pod_affinity()
                     ->mutable_preferred_during_scheduling_ignored_during_execution();
  if (!drop_heaviest(terms)) return std::nullopt;
  return "preferred pod affinity term";
}

std::optional<std::string> Preferences::drop_preferred_pod_anti_affinity() {
  if (!affinity_.has_pod_anti_affinity()) return std::nullopt;
  auto& terms = *affinity_.mutable_pod_anti_affinity()
                     ->mutable_preferred_during_scheduling_ignored_during_execution();
  if (!drop_heaviest(terms)) return std::nullopt;
  return "preferred pod anti-affinity term";
}

std::optional<std::string> Preferences::drop_preferred_node_term() {
  if (!affinity_.has_node_affinity()) return std::nullopt;
  auto& terms = *affinity_.mutable_node_affinity()
                     ->mutable_preferred_during_scheduling_ignored_during_execution();
  if (!drop_heaviest(terms)) return std::nullopt;
  return "preferred node affinity term";
}

std::optional<std::string> Preferences::drop_schedule_anyway_spread() {
  const auto at = std::ranges::find_if(
      spreads_, [](const auto& spread) { return spread.when_unsatisfiable() == "ScheduleAnyway"; });
  if (at == spreads_.end()) return std::nullopt;
  spreads_.erase(at);
  return "topology spread constraint that says ScheduleAnyway";
}

std::optional<std::string> Preferences::tolerate_prefer_no_schedule() {
  const bool there = std::ranges::any_of(tolerations_, [](const k8s::Toleration& toleration) {
    return toleration.key().empty() && toleration.operator_() == "Exists" &&
           toleration.effect() == "PreferNoSchedule";
  });
  if (there) return std::nullopt;
  k8s::Toleration& added = *tolerations_.Add();
  added.set_operator_("Exists");
  added.set_effect("PreferNoSchedule");
  return "no toleration of PreferNoSchedule taints";
}

}  // namespace troupe::karpenter
