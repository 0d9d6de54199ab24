// What a replica does between the start of its container and its first answer: weights, then the
// engine's own start.
//
// Weights are bytes over a bandwidth. The rest depends on kernels, caches and drivers, and is
// drawn: by the workload's own stages, or by those that vLLM logs when it starts cold, scaled by
// the model's layers.
#pragma once

#include <string>
#include <vector>

#include "actors/random.h"
#include "messages/serving.pb.h"
#include "messages/sim_time.h"

namespace troupe::serving {

struct LoadStep {
  std::string name;
  Duration duration;
};

/// The steps in order, weights first. Restarts of a container draw anew.
[[nodiscard]] std::vector<LoadStep> plan_load(const ServingWorkload& workload,
                                              const ReplicaPlacement& placement,
                                              const RandomBits& bits);

}  // namespace troupe::serving
