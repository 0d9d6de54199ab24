// One fault as a person types it, read by the same schema as a scenario's `faults:`.
//
//   gpu node=gpu-a gpu=0 xid=79
//   gpu {node: gpu-a, gpu: 0}
//   {gpu: {node: gpu-a, gpu: 0, repairAfter: 30s}}
//   networkPartition from=node/gpu-a to=apiserver/* in=10s duration=1m
#pragma once

#include <string>
#include <vector>

#include "messages/fault.pb.h"
#include "messages/plan.pb.h"
#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe::config {

struct TypedFault {
  std::vector<plan::FaultPlan> faults;  ///< the fault, and its heal where it says how long it lasts
  std::vector<plan::FaultPlan> heals;   ///< what would heal it at any moment, if something does
  std::vector<fault::Order> orders;     ///< what a director decides when its moment comes
  fault::TakeRules rules;               ///< of the network, and facts that the director is told of
  std::string entry;                    ///< of a scenario's `faults`, as JSON
};

/// The fault at `effect`, unless the words say when: `at`, `in` (from now), `when`, `every`,
/// `rate`, of which the latter three begin at `effect`. `shown` is that moment as an entry shall
/// have it. Nothing at all is planned where a probability decided so. `run` is the plan of the run
/// that it befalls, with its hosts; `number` tells the fault from all others that were typed in
/// that run.
[[nodiscard]] Result<TypedFault> read_fault(const std::vector<std::string>& words,
                                            const plan::RunPlan& run, SimTime effect, SimTime shown,
                                            std::uint64_t number);

/// The part of a plan that faults are checked against: its hosts, with the configurations of nodes
/// and cloud and the elections of controllers alone.
[[nodiscard]] plan::RunPlan plan_for_faults(const plan::RunPlan& run);

/// The kinds of fault, by the names of a scenario's keys.
[[nodiscard]] std::vector<std::string> fault_kinds();

}  // namespace troupe::config
