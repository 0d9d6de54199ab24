#include "actors/kube_scheduler/preemption.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "actors/kube_scheduler/pod_scheduler.h"
#include "actors/random.h"
#include "messages/conditions.h"

namespace troupe::kube_scheduler {
namespace {

using scheduling::Filters;
using scheduling::NodeInfo;
using scheduling::PodInfo;
using scheduling::PodPtr;
using scheduling::Rejection;

// DefaultPreemptionArgs: minCandidateNodesPercentage, minCandidateNodesAbsolute.
constexpr std::size_t kCandidatesPercentage = 10;
constexpr std::size_t kCandidatesAbsolute = 100;
constexpr std::size_t kFull = 100;

struct Candidate {
  std::size_t node = 0;
  std::vector<PodPtr> victims;  ///< the most important first
  std::size_t violations = 0;   ///< of disruption budgets
};

/// A pod that has not started yet counts as started last.
std::int64_t start_of(const PodInfo& pod) {
  return pod.pod->status().has_start_time() ? pod.pod->status().start_time() : INT64_MAX;
}

/// Priority first, then who has been running longer; the uid makes the order total.
bool more_important(const PodPtr& a, const PodPtr& b) {
  return std::forward_as_tuple(-a->priority(), start_of(*a), a->uid()) <
         std::forward_as_tuple(-b->priority(), start_of(*b), b->uid());
}

/// Which of the pods, in order, would exceed a budget if they went.
std::vector<bool> violations_of(const std::vector<PodPtr>& pods, const Budgets& budgets) {
  std::vector<int> allowed;
  for (const auto& budget : budgets) allowed.push_back(budget->status().disruptions_allowed());
  std::vector<bool> violates;
  for (const PodPtr& pod : pods) {
    bool exceeds = false;
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      const k8s::PodDisruptionBudget& budget = *budgets[i];
      const bool meant = budget.metadata().namespace_() == pod->name_space() &&
                         budget.spec().has_selector() &&
                         matches(budget.spec().selector(), pod->pod->metadata().labels());
      if (meant && --allowed[i] < 0) exceeds = true;
    }
    violates.push_back(exceeds);
  }
  return violates;
}

/// A node without some of its pods.
class Trial {
 public:
  Trial(const PreemptionInput& input, const NodeInfo& node, const Filters& filters)
      : input_(input), node_(node), filters_(filters) {}

  void remove(const PodPtr& pod) {
    node_.remove_pod(pod->uid());
    filters_.update(*pod, node_, -1);
  }
  void give_back(const PodPtr& pod) {
    node_.add_pod(pod);
    filters_.update(*pod, node_, 1);
  }
  [[nodiscard]] Rejection check() const {
    return check_with_nominated(input_.pod, node_, filters_, input_.nominator);
  }

 private:
  const PreemptionInput& input_;
  NodeInfo node_;
  Filters filters_;
};

class Preemptor {
 public:
  explicit Preemptor(const PreemptionInput& input)
      : input_(input), filters_(input.pod, input.snapshot) {}

  Preemption run() {
    Preemption result;
    if (std::string reason = ineligible(); !reason.empty()) {
      result.message = "preemption: " + reason;
      return result;
    }
    try_nodes(result);
    if (candidates_.empty()) {
      result.message = "preemption: " + no_candidate_text();
      result.gives_up = true;
      return result;
    }
    Candidate& best = candidates_[choose()];
    result.node = input_.snapshot.nodes()[best.node].name();
    result.victims = std::move(best.victims);
    for (const PodPtr& other : input_.nominator.on(result.node)) {
      if (other->priority() < input_.pod.priority()) result.displaced.push_back(other);
    }
    return result;
  }

 private:
  [[nodiscard]] std::string ineligible() const {
    const k8s::Pod& pod = *input_.pod.pod;
    if (pod.spec().preemption_policy() == "Never") {
      return "not eligible due to preemptionPolicy=Never.";
    }
    const std::string* nominated = input_.nominator.node_of(input_.pod.uid());
    const auto index = nominated != nullptr ? input_.snapshot.find(*nominated) : std::nullopt;
    if (!index || !input_.rejections[*index].resolvable) return {};
    const auto pods = input_.snapshot.nodes()[*index].pods();
    const bool waits = std::any_of(pods.begin(), pods.end(), [this](const PodPtr& other) {
      return other->priority() < input_.pod.priority() && is_preempted(*other->pod);
    });
    return waits ? "not eligible due to a terminating pod on the nominated node." : "";
  }

  void try_nodes(Preemption& result) {
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < input_.rejections.size(); ++i) {
      if (input_.rejections[i].resolvable) {
        nodes.push_back(i);
      } else {
        ++reasons_["Preemption is not helpful for scheduling"];
      }
    }
    if (nodes.empty()) return;
    const std::size_t wanted = std::min(
        nodes.size(),
        std::max(input_.rejections.size() * kCandidatesPercentage / kFull, kCandidatesAbsolute));
    const std::size_t offset = uniform_below(input_.draw(), nodes.size());
    bool harmless = false;
    for (std::size_t i = 0; i < nodes.size() && !(harmless && candidates_.size() >= wanted); ++i) {
      ++result.tried;
      if (auto candidate = victims_on(nodes[(offset + i) % nodes.size()])) {
        harmless = harmless || candidate->violations == 0;
        candidates_.push_back(std::move(*candidate));
      }
    }
  }

  std::optional<Candidate> victims_on(std::size_t index) {
    const NodeInfo& node = input_.snapshot.nodes()[index];
    std::vector<PodPtr> lesser;
    for (const PodPtr& pod : node.pods()) {
      if (pod->priority() < input_.pod.priority()) lesser.push_back(pod);
    }
    if (lesser.empty()) {
      ++reasons_["No preemption victims found for incoming pod"];
      return std::nullopt;
    }
    Trial trial(input_, node, filters_);
    for (const PodPtr& pod : lesser) trial.remove(pod);
    if (const Rejection rejection = trial.check()) {
      for (const std::string& reason : scheduling::reasons_of(rejection, input_.pod)) {
        ++reasons_[reason];
      }
      return std::nullopt;
    }
    return reprieve(index, std::move(lesser), trial);
  }

  /// Gives back whom the pod leaves room for: those whose budget would be violated first, then by
  /// importance.
  Candidate reprieve(std::size_t index, std::vector<PodPtr> lesser, Trial& trial) const {
    std::stable_sort(lesser.begin(), lesser.end(), more_important);
    const std::vector<bool> violates = violations_of(lesser, input_.budgets);
    Candidate candidate{index, {}, 0};
    for (const bool protected_first : {true, false}) {
      for (std::size_t i = 0; i < lesser.size(); ++i) {
        if (violates[i] != protected_first) continue;
        trial.give_back(lesser[i]);
        if (!trial.check()) continue;
        trial.remove(lesser[i]);
        candidate.victims.push_back(lesser[i]);
        if (protected_first) ++candidate.violations;
      }
    }
    std::stable_sort(candidate.victims.begin(), candidate.victims.end(), more_important);
    return candidate;
  }

  [[nodiscard]] std::size_t choose() const {
    const auto rank = [](const Candidate& candidate) {
      const int highest = candidate.victims.empty() ? INT32_MIN : candidate.victims[0]->priority();
      std::int64_t sum = 0;
      std::int64_t earliest = INT64_MAX;
      for (const PodPtr& victim : candidate.victims) {
        // Shifted so that more victims never make a smaller sum, whatever the sign of their
        // priorities.
        sum += std::int64_t{victim->priority()} - INT32_MIN;
        if (victim->priority() == highest) earliest = std::min(earliest, start_of(*victim));
      }
      return std::tuple(candidate.violations, highest, sum, candidate.victims.size(), -earliest);
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      if (rank(candidates_[i]) < rank(candidates_[best])) best = i;
    }
    return best;
  }

  [[nodiscard]] std::string no_candidate_text() const {
    return "0/" + std::to_string(input_.rejections.size()) +
           " nodes are available: " + scheduling::histogram_text(reasons_) + ".";
  }

  const PreemptionInput& input_;
  Filters filters_;
  std::vector<Candidate> candidates_;
  std::map<std::string, std::size_t> reasons_;
};

}  // namespace

bool is_preempted(const k8s::Pod& pod) {
  if (!pod.metadata().has_deletion_timestamp()) return false;
  const k8s::Condition* condition = find_condition(pod.status().conditions(), "DisruptionTarget");
  return condition != nullptr && condition->status() == "True" &&
         condition->reason() == "PreemptionByScheduler";
}

Preemption preempt(const PreemptionInput& input) {
  return Preemptor(input).run();
}

}  // namespace troupe::kube_scheduler
