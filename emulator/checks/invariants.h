// What must hold in every run, whatever the scenario: promises that the real components make.
//
// Each folds facts, in key order; looking does not change a run. A run never stops at a violation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/report/summary.h"
#include "emulator/runtime/observer.h"

namespace troupe::checks {

struct InvariantRow {
  std::string_view name;
  std::string_view sentence;
};
/// Every invariant with its sentence.
[[nodiscard]] const std::vector<InvariantRow>& all_invariants();
[[nodiscard]] bool is_invariant(std::string_view name);

class Invariant : public Observer {
 public:
  [[nodiscard]] const InvariantOutcome& outcome() const { return outcome_; }

 protected:
  /// Counts a check, and a violation unless it held.
  void check(bool held, const FactRecord& record, const std::string& what);

 private:
  InvariantOutcome outcome_;
};

/// All invariants of a run.
class Invariants final : public Observer {
 public:
  Invariants();

  void on_fact(const FactRecord& record) override;
  [[nodiscard]] std::map<std::string, InvariantOutcome> outcomes() const;

 private:
  std::vector<std::pair<std::string, std::unique_ptr<Invariant>>> all_;
};

}  // namespace troupe::checks
