#include "actors/kube_scheduler/spread_score.h"

#include <algorithm>

#include "actors/fixed_math.h"
#include "actors/kube_scheduler/max_score.h"

namespace troupe::kube_scheduler {
namespace {

using scheduling::NodeFacts;
using scheduling::NodeInfo;

constexpr std::int64_t kIgnored = -1;
// podtopologyspread/plugin.go: systemDefaultConstraints.
constexpr int kHostSkew = 3;
constexpr int kZoneSkew = 5;
constexpr std::int64_t kHalfQ32 = fixed::kOneQ32 / 2;

/// ln(domains + 2): a topology with more domains counts more.
std::int64_t weight_of(std::size_t domains) {
  return fixed::multiply_q32(fixed::log2_q32(domains + 2), fixed::kLn2Q32);
}

scheduling::SpreadConstraint system_constraint(std::string_view key, int skew,
                                               const k8s::LabelSelector& selector) {
  scheduling::SpreadConstraint constraint;
  constraint.topology_key = key;
  constraint.selector = selector;
  constraint.has_selector = true;
  constraint.max_skew = skew;
  return constraint;
}

}  // namespace

SpreadScore::SpreadScore(const scheduling::PodInfo& pod, const scheduling::Snapshot& snapshot,
                         std::span<const std::size_t> feasible,
                         const std::optional<k8s::LabelSelector>& default_selector)
    : pod_(&pod), snapshot_(&snapshot) {
  choose_constraints(default_selector);
  if (constraints_.empty()) return;
  find_domains(feasible);
  count_pods();
  score(feasible);
}

void SpreadScore::choose_constraints(const std::optional<k8s::LabelSelector>& default_selector) {
  const auto add = [this](scheduling::SpreadConstraint constraint) {
    const bool per_host = constraint.topology_key == scheduling::kHostnameLabel;
    constraints_.push_back({std::move(constraint), per_host, {}, 0});
  };
  if (!pod_->pod->spec().topology_spread_constraints().empty()) {
    for (auto& one : scheduling::spread_constraints(*pod_->pod, "ScheduleAnyway")) {
      add(std::move(one));
    }
  } else if (default_selector) {
    requires_all_keys_ = false;
    add(system_constraint(scheduling::kHostnameLabel, kHostSkew, *default_selector));
    add(system_constraint(scheduling::kZoneLabel, kZoneSkew, *default_selector));
  }
}

bool SpreadScore::lacks_key(const NodeFacts& node) const {
  return requires_all_keys_ &&
         std::any_of(constraints_.begin(), constraints_.end(), [&node](const Soft& soft) {
           return node.label(soft.constraint.topology_key) == nullptr;
         });
}

void SpreadScore::find_domains(std::span<const std::size_t> feasible) {
  for (const std::size_t index : feasible) {
    const NodeFacts& node = snapshot_->nodes()[index].facts();
    if (lacks_key(node)) {
      ++ignored_;
      continue;
    }
    for (Soft& soft : constraints_) {
      const std::string* value = soft.per_host ? nullptr : node.label(soft.constraint.topology_key);
      if (value != nullptr) soft.domains.try_emplace(*value, 0);
    }
  }
  for (Soft& soft : constraints_) {
    const std::size_t domains = soft.per_host ? feasible.size() - ignored_ : soft.domains.size();
    soft.weight_q32 = weight_of(domains);
  }
}

void SpreadScore::count_pods() {
  const k8s::PodSpec& spec = pod_->pod->spec();
  const bool selects = scheduling::selects_nodes(spec);
  for (Soft& soft : constraints_) {
    if (soft.domains.empty()) continue;
    scheduling::ClassMemo memo(
        snapshot_->classes(), [&](const std::string& name_space, const LabelMap& labels) {
          return soft.constraint.matches(pod_->name_space(), name_space, labels);
        });
    for (const NodeInfo& node : snapshot_->nodes()) {
      const NodeFacts& facts = node.facts();
      const std::string* value = facts.label(soft.constraint.topology_key);
      if (value == nullptr || lacks_key(facts)) continue;
      if (soft.constraint.honor_affinity && selects && !scheduling::matches_node(spec, *facts.node))
        continue;
      const auto at = soft.domains.find(*value);
      if (at != soft.domains.end()) at->second += count_matching(node, memo);
    }
  }
}

void SpreadScore::score(std::span<const std::size_t> feasible) {
  std::vector<std::int64_t> sums(feasible.size(), 0);
  for (Soft& soft : constraints_) {
    scheduling::ClassMemo memo(
        snapshot_->classes(), [&](const std::string& name_space, const LabelMap& labels) {
          return soft.constraint.matches(pod_->name_space(), name_space, labels);
        });
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      const NodeInfo& node = snapshot_->nodes()[feasible[i]];
      const std::string* value = node.facts().label(soft.constraint.topology_key);
      if (value == nullptr) continue;
      const std::int64_t count =
          soft.per_host ? count_matching(node, memo) : soft.domains.at(*value);
      sums[i] += count * soft.weight_q32 + (soft.constraint.max_skew - 1) * fixed::kOneQ32;
    }
  }
  std::int64_t least = INT64_MAX;
  std::int64_t most = INT64_MIN;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (lacks_key(snapshot_->nodes()[feasible[i]].facts())) {
      scores_.push_back(kIgnored);
      continue;
    }
    scores_.push_back((sums[i] + kHalfQ32) / fixed::kOneQ32);
    least = std::min(least, scores_.back());
    most = std::max(most, scores_.back());
  }
  normalize(least, most);
}

void SpreadScore::normalize(std::int64_t least, std::int64_t most) {
  for (std::int64_t& score : scores_) {
    if (score == kIgnored) {
      score = 0;
    } else {
      score = most == 0 ? kMaxScore : kMaxScore * (most + least - score) / most;
    }
  }
}

}  // namespace troupe::kube_scheduler
