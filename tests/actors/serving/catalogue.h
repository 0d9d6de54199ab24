// The catalogues of topologies/, for tests: models by name or alias, GPUs by name.
#pragma once

#include <string_view>

#include "messages/serving.pb.h"

namespace troupe::serving::testing {

[[nodiscard]] ModelSpec model_named(std::string_view name);
[[nodiscard]] GpuSpec gpu_named(std::string_view name);
/// A workload of one model that may run on one type of GPU.
[[nodiscard]] ServingWorkload workload_of(std::string_view model, std::string_view gpu);

}  // namespace troupe::serving::testing
