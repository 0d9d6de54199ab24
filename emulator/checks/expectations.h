// Evaluates the expectations of a scenario while the run goes on.
//
// It keeps the committed objects of the kinds that expectations name, as the store committed them,
// and asks each expectation again whenever one of its objects changed: so `always` and `never` see
// every state, not samples of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/checks/comparison.h"
#include "emulator/checks/selection.h"
#include "emulator/report/summary.h"
#include "emulator/runtime/observer.h"
#include "messages/plan.pb.h"

namespace troupe::checks {

/// Whether messages/facts.proto has a fact of this name.
[[nodiscard]] bool is_fact(std::string_view name);

class Expectations final : public Observer {
 public:
  explicit Expectations(const plan::RunPlan& plan);

  void on_fact(const FactRecord& record) override;
  void on_checkpoint(SimTime time, const Digest& digest) override;
  /// The verdicts. `summary` is the run's, `violated` its invariants.
  [[nodiscard]] std::vector<ExpectationOutcome> outcomes(
      SimTime end, const nlohmann::json& summary,
      const std::map<std::string, InvariantOutcome>& violated);

 private:
  struct Check {
    config::Expectation spec;
    Selection selection;
    Comparison comparison;
    std::map<std::string, bool>
        objects;          ///< those selected, and whether the comparison holds of each
    nlohmann::json last;  ///< what was observed of the object that changed last
    SimTime from{};       ///< the span in which the expectation looks
    SimTime to{};
    bool armed = true;            ///< `within` is armed by its fact
    std::optional<bool> verdict;  ///< once it is decided before the end
    std::string observed;         ///< what decided it
  };

  void pass_time(SimTime now);
  void update(Check& check, const std::string& name, const google::protobuf::Message* object);
  void look(Check& check, SimTime now);
  void decide(Check& check, bool verdict);
  [[nodiscard]] bool holds(const Check& check) const;
  [[nodiscard]] std::string observed(const Check& check) const;

  std::vector<Check> checks_;
  SimTime now_{};
};

}  // namespace troupe::checks
