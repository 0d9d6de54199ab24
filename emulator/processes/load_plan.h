// A plan, fed to whoever runs it.
#pragma once

#include "emulator/runtime/timeline.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/plan.pb.h"

namespace troupe {

/// Starts every host of the plan and schedules every fault. Each process of a run is fed the whole
/// plan, in this order, and takes its part.
void load_plan(const plan::RunPlan& plan, Timeline& timeline);

/// Its faults of the network, and what its director is told.
[[nodiscard]] FaultOptions faults_of(const plan::RunPlan& plan);

/// The latencies of the plan's links.
[[nodiscard]] LatencyModel::PerLink latencies_of(const plan::RunPlan& plan);

}  // namespace troupe
