#include "emulator/config/expectation_plan.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/checks/comparison.h"
#include "emulator/checks/expectations.h"
#include "emulator/checks/invariants.h"
#include "emulator/checks/selection.h"
#include "emulator/config/values.h"
#include "emulator/manifests/yaml_node.h"
#include "emulator/report/summary.h"

namespace troupe::config {
namespace {

int timings_of(const Expectation& spec) {
  return static_cast<int>(!spec.at().empty()) + static_cast<int>(!spec.by().empty()) +
         static_cast<int>(!spec.always().empty()) + static_cast<int>(!spec.never().empty()) +
         static_cast<int>(!spec.within().empty());
}

void check_timing(const Expectation& spec, Duration run, const std::string& path,
                  Problems& problems) {
  if (timings_of(spec) > 1) {
    problems.add(path, "expected at most one of `at`, `by`, `always`, `never`, `within`");
  }
  for (const auto* span : {&spec.always(), &spec.never()}) {
    if (!span->empty() && span->size() != 2) problems.add(path, "expected [from, to]");
    if (span->size() == 2 && duration_or(span->at(1), run) < duration_or(span->at(0), run)) {
      problems.add(path, "expected [from, to], the second not earlier");
    }
  }
  std::vector<std::string> moments = {spec.at(), spec.by()};
  for (const auto* span : {&spec.always(), &spec.never()}) {
    moments.insert(moments.end(), span->begin(), span->end());
  }
  const bool too_late = std::any_of(moments.begin(), moments.end(), [run](const auto& moment) {
    return duration_or(moment, Duration::zero()) > run;
  });
  if (too_late) problems.add(path, "the run is over by then: `duration` is shorter");
  if (spec.within().empty() != spec.after().empty()) {
    problems.add(path, "expected `within` and `after` together");
  }
  if (!spec.after().empty() && !checks::is_fact(spec.after())) {
    problems.add(path + ".after", "unknown fact '" + spec.after() + "': see messages/facts.proto");
  }
}

// The part of a path that no summary has: a slip that would only show at the end of the run. What
// is keyed by names of the run, such as `autoscalers`, is empty here and not looked into.
std::string unknown_summary_part(std::string_view path) {
  static const nlohmann::json shape = Summary().to_json(Accounts(plan::RunPlan()));
  const nlohmann::json* here = &shape;
  while (!path.empty()) {
    const std::string part(manifests::take_step(path));
    if (!here->is_object() || here->empty()) return "";
    const auto found = here->find(part);
    if (found == here->end()) return part;
    here = &*found;
  }
  return "";
}

void check_one(const Expectation& spec, Duration run, const std::string& path, Problems& problems) {
  if (!spec.violates().empty()) {
    Expectation alone;
    alone.set_name(spec.name());
    alone.set_violates(spec.violates());
    if (alone.SerializeAsString() != spec.SerializeAsString()) {
      problems.add(path, "expected nothing but a `name` beside `violates`");
    }
    if (!checks::is_invariant(spec.violates())) {
      problems.add(path + ".violates", "unknown invariant '" + spec.violates() +
                                           "': `troupe list invariants` names them");
    }
    return;
  }
  if (spec.select().empty() || spec.field().empty() || spec.op().empty() || spec.value().empty()) {
    return problems.add(path, "expected `select`, `field`, `op` and `value`, or `violates`");
  }
  const Result<checks::Selection> selection = checks::parse_selection(spec.select());
  if (!selection) return problems.add(path + ".select", selection.error().message);
  if (selection->summary && timings_of(spec) > 0) {
    problems.add(path,
                 "the summary is there at the end: no `at`, `by`, `always`, `never`, `within`");
  }
  if (selection->summary) {
    if (const std::string part = unknown_summary_part(spec.field()); !part.empty()) {
      problems.add(path + ".field",
                   "no summary has '" + part + "': docs/spec/run-directory.md lists its keys");
    }
  }
  check_timing(spec, run, path, problems);
  if (const Result<checks::Comparison> comparison = checks::parse_comparison(spec); !comparison) {
    problems.add(path, comparison.error().message);
  }
}

}  // namespace

void plan_expectations(const Scenario& scenario, plan::RunPlan& plan, Problems& problems) {
  const Duration run{plan.duration_ns()};
  for (int i = 0; i < scenario.expect_size(); ++i) {
    check_one(scenario.expect(i), run, "expect[" + std::to_string(i) + "]", problems);
    *plan.add_expectations() = scenario.expect(i);
  }
}

}  // namespace troupe::config
