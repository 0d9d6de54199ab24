// A small replica on a FakeContext: 10 ms a step, 11 s to load, and what a test needs to talk to
// it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "actors/serving/replica_actor.h"
#include "messages/runtime.pb.h"
#include "messages/telemetry.pb.h"
#include "tests/support/fake_context.h"

namespace troupe::serving::testing {

using troupe::testing::FakeContext;

inline constexpr const char* kPodPath = "node/a/pod/uid-1";

/// A model of 10 GB on a GPU of 80 GB whose steps take 10 ms, whatever they do.
inline ServingWorkload small_workload() {
  ServingWorkload workload;
  workload.set_name("small");
  workload.set_service("default/llm");
  ModelSpec& model = *workload.mutable_model();
  model.set_name("small-model");
  model.set_layers(1);
  model.set_hidden_size(64);
  model.set_attention_heads(6);
  model.set_kv_heads(1);
  model.set_head_dim(64);
  model.set_parameters_billion(0);
  model.set_weight_bytes(10'000'000'000);
  model.set_weight_type("bf16");
  model.set_max_model_len(8192);
  GpuSpec& gpu = *workload.add_gpus();
  gpu.set_name("H100");
  gpu.set_memory_bytes(80LL * 1024 * 1024 * 1024);
  // Everything but the fixed time is too fast to be seen.
  gpu.set_hbm_gb_per_second(1e15);
  gpu.set_bf16_tflops(1e9);
  gpu.set_link_gb_per_second(1e15);
  gpu.set_network_gb_per_second(1e15);
  gpu.set_gemm_efficiency(1);
  gpu.set_attention_tflops(1e15);
  gpu.set_weight_read_efficiency(1);
  gpu.set_kv_read_efficiency(1);
  gpu.set_link_efficiency(1);
  gpu.set_step_fixed_us(10'000);
  workload.mutable_load()->set_weights_bytes_per_second(1'000'000'000);  // 10 s
  LoadStage& stage = *workload.mutable_load()->add_stages();
  stage.set_name("engine init");
  stage.mutable_duration()->set_a_ns(1'000'000'000);
  return workload;
}

inline ReplicaPlacement small_placement() {
  ReplicaPlacement placement;
  placement.set_pod_uid("uid-1");
  placement.set_namespace_("default");
  placement.set_pod("llm-0");
  placement.set_node("a");
  placement.set_gpu_model("H100");
  placement.add_gpu_paths("node/a/gpu/0");
  return placement;
}

inline std::unique_ptr<Actor> small_replica(bool loaded = false) {
  return make_replica(std::make_shared<const ServingWorkload>(small_workload()), small_placement(),
                      loaded);
}

inline Payload infer(std::uint64_t id, std::uint32_t prompt, std::uint32_t output) {
  InferRequest request;
  request.set_request_id(id);
  request.set_prompt_tokens(prompt);
  request.set_output_tokens(output);
  request.set_trace(1000 + id);
  return Payload::of(std::move(request));
}

/// What the runtime answers for somebody who does not listen.
inline Payload refusal_of(Payload sent) {
  return Payload::of(runtime::ConnectionRefused{}, {std::move(sent)});
}

/// The newest InferDone sent; asserts that there is one.
inline InferDone last_done(const FakeContext& context) {
  return *context.last_sent<InferDone>().as<InferDone>();
}

}  // namespace troupe::serving::testing
