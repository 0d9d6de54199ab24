// How far the processes of a run can go on without hearing of each other.
#pragma once

#include <optional>

#include "emulator/runtime/latency_model.h"
#include "emulator/runtime/placement.h"
#include "messages/plan.pb.h"

namespace troupe {

/// The smallest latency of any message that may cross a process under that placement; nothing if
/// none can. It is static: injected delays only add to a latency.
[[nodiscard]] std::optional<Duration> lookahead(const plan::RunPlan& plan,
                                                const Placement& placement,
                                                const LatencyModel& latencies);

/// What a fact takes to a director at least, or its word to a host, wherever they are. One that a
/// console starts may be anywhere as well.
[[nodiscard]] Duration word_of_director(const LatencyModel& latencies);

}  // namespace troupe
