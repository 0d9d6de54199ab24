// From a model and a GPU to the time of a step and the size of the KV cache.
//
// A roofline, summed: a step costs fixed time, the reading of the weights, the GEMMs of its prefill
// tokens, causal attention, a little for every sequence, the reading of the KV cache, and the
// all-reduces of a tensor-parallel group. Each term is the hardware's published limit times the
// share of it that vLLM reaches, one set of shares for each GPU type, in topologies/gpus.yaml with
// its origin. Fitted against tables measured with vLLM 0.10.1.1 that NVIDIA Dynamo ships:
// Llama-3.1-8B FP8 on one H200, and Llama-3.3-70B FP8 on two, four and eight H100;
// tests/actors/serving prints the errors. Any other pair is extrapolated, and says so.
//
// The only floating point of the engine: plain multiplications and divisions in a fixed order, once
// for each replica.
//
// Not modelled: GEMM tile and CUDA-graph edges (the H100 tables jump by a quarter at batches of 128
// and 256), kernels that differ between attention backends, thermal limits.
#pragma once

#include <cstdint>
#include <string>

#include "actors/serving/engine.h"
#include "messages/result.h"
#include "messages/serving.pb.h"

namespace troupe::serving {

/// The GPUs of one tensor-parallel group, and what joins them.
struct Parallelism {
  std::uint32_t tensor_parallel = 1;
  bool one_link_domain = true;  ///< false: the all-reduces cross the network
};

[[nodiscard]] StepCosts derive_costs(const ModelSpec& model, const GpuSpec& gpu,
                                     const EngineArgs& args, const Parallelism& group);

/// Bytes of keys and values that one token takes on one GPU of the group.
[[nodiscard]] std::int64_t kv_bytes_per_token(const ModelSpec& model, const EngineArgs& args,
                                              std::uint32_t tensor_parallel);

/// Tokens that fit beside the weights, all GPUs of the group together; 0 or less if the weights
/// leave no room.
[[nodiscard]] std::int64_t kv_capacity_tokens(const ModelSpec& model, const GpuSpec& gpu,
                                              const EngineArgs& args,
                                              std::uint32_t tensor_parallel);

/// A measured table backs this pair.
[[nodiscard]] bool is_measured(const ModelSpec& model, const GpuSpec& gpu,
                               std::uint32_t tensor_parallel);

/// What a replica needs to start its engine.
struct EngineSetup {
  EngineConfig config;
  std::int64_t kv_tokens = 0;
  std::int64_t memory_mib = 0;  ///< that the process holds on each GPU from its start to its end
  bool extrapolated = true;
};

/// The engine of `workload` on GPUs of that type, with vLLM's defaults for absent arguments; or the
/// error with which vLLM would refuse to start.
[[nodiscard]] Result<EngineSetup> derive_engine(const ServingWorkload& workload, const GpuSpec& gpu,
                                                const Parallelism& group);

/// The GPU of that name or alias among the workload's; null if it is not there.
[[nodiscard]] const GpuSpec* find_gpu(const ServingWorkload& workload, const std::string& name);

}  // namespace troupe::serving
