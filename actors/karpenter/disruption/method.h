// A way to disrupt nodes, and the list of the ways in the order in which they are tried.
//
// Each pass asks the methods in turn for a command; the first that has one acts, and the next pass
// begins. A command is validated, unless its method needs no validation, and then carried out:
// taint, replacements, deletion.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/karpenter/disruption/budgets.h"
#include "actors/karpenter/disruption/candidate.h"

namespace troupe::karpenter {

using Budgets = std::map<std::string, PoolBudget>;

class Method {
 public:
  virtual ~Method() = default;

  /// "Empty", "Drifted" or "Underutilized": the word that budgets, conditions and events use.
  [[nodiscard]] virtual std::string_view reason() const = 0;
  /// Whether the method would take this one at all.
  [[nodiscard]] virtual bool wants(const Candidate& candidate) const = 0;
  /// Which of the candidates to disrupt as one command; none: nothing to do. Takes what it uses off
  /// the budgets.
  [[nodiscard]] virtual std::vector<Candidate> choose(std::vector<Candidate> candidates,
                                                      Budgets& budgets) const = 0;
  /// How long to wait before the command is looked at again; 0: it is carried out at once.
  [[nodiscard]] virtual Duration validation_delay() const = 0;
  /// Which of a command's nodes can still be disrupted after the delay, given those that are
  /// candidates now.
  [[nodiscard]] virtual std::vector<Candidate> revalidate(std::vector<Candidate> still,
                                                          Budgets& budgets,
                                                          std::size_t planned) const = 0;
};

/// In order: cheap and harmless ones first.
[[nodiscard]] std::vector<std::unique_ptr<Method>> disruption_methods();

}  // namespace troupe::karpenter
