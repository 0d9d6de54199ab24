// The facts that a change of a Pod makes true: created, bound, deletion requested, gone.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/api_server/store.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::apiserver {

/// GPUs that the pod asks for, in thousandths: the nvidia.com/gpu of its containers, or the share
/// that KAI's annotations (gpu-fraction, gpu-fraction-num-devices) name.
[[nodiscard]] std::int64_t milli_gpu_of(const k8s::Pod& pod);

/// Empty for a change of anything but a Pod.
[[nodiscard]] std::vector<Payload> pod_facts(const Store::Commit& commit);

}  // namespace troupe::apiserver
