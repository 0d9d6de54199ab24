// How many GPUs one replica of a workload has: read off the manifests that make its pods.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/config/inputs.h"

namespace troupe::config {

/// GPUs of one replica (all pods of a LeaderWorkerSet's group together) of the pods that `workload`
/// matches; nothing if no manifest makes such pods.
[[nodiscard]] std::optional<std::uint32_t> replica_gpus(const Inputs& inputs,
                                                        const Workload& workload);

}  // namespace troupe::config
