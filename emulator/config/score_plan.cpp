#include "emulator/config/score_plan.h"

#include <algorithm>
#include <string>

#include "actors/serving/performance_model.h"
#include "emulator/config/host_plan.h"
#include "emulator/config/instance_catalogue.h"
#include "emulator/config/replica_shape.h"
#include "emulator/config/serving_plan.h"
#include "emulator/config/traffic_plan.h"
#include "messages/envelope.h"

namespace troupe::config {
namespace {

constexpr double kFsPerSecond = 1e15;

// The GPU model that the plan's machines have: of the listed nodes, else of what the cloud can
// launch. Where there are several, the first is the yardstick; the score says which.
std::string gpu_of(const plan::RunPlan& plan) {
  for (const plan::HostPlan& host : plan.hosts()) {
    if (host.kind() != "node" && host.kind() != "cloud") continue;
    const Result<Payload> config = from_envelope(host.attachments(0));
    if (const auto* node = config->as<hosts::NodeConfig>(); node && node->gpus() > 0) {
      return node->gpu_model();
    }
    if (const auto* cloud = config->as<hosts::CloudConfig>()) {
      for (const hosts::InstanceType& type : cloud->instance_types()) {
        if (type.gpus() > 0) return type.gpu_model();
      }
    }
  }
  return {};
}

serving::StepLoad prefill_of(const MeanLengths& mean) {
  serving::StepLoad load;
  load.prefill_sequences = 1;
  load.prefill_tokens = std::max<std::int64_t>(1, static_cast<std::int64_t>(mean.prompt));
  load.prefill_squares = load.prefill_tokens * load.prefill_tokens;
  return load;
}

serving::StepLoad decode_of(const MeanLengths& mean, std::int64_t batch) {
  serving::StepLoad load;
  load.decode_sequences = batch;
  load.decode_kv_tokens = batch * static_cast<std::int64_t>(mean.prompt + mean.output / 2);
  return load;
}

// The largest batch that holds the objectives in a steady state: while a sequence says its tokens,
// each of the others is replaced once, so a step carries batch / output prompts on average.
std::int64_t best_batch(const serving::EngineSetup& engine, const MeanLengths& mean,
                        const plan::Slo& slo) {
  const serving::StepCosts& costs = engine.config.costs;
  const auto prefill_ns = static_cast<double>(costs.step_fs(prefill_of(mean))) / 1e6;
  const std::int64_t fits = static_cast<std::int64_t>(static_cast<double>(engine.kv_tokens) /
                                                      std::max(1.0, mean.prompt + mean.output));
  const std::int64_t limit =
      std::max<std::int64_t>(1, std::min(fits, engine.config.limits.max_num_seqs));
  std::int64_t best = 1;
  for (std::int64_t batch = 2; batch <= limit; ++batch) {
    const auto decode_ns = static_cast<double>(costs.step_fs(decode_of(mean, batch))) / 1e6;
    const double itl_ns =
        decode_ns + prefill_ns * static_cast<double>(batch) / std::max(1.0, mean.output);
    if (slo.tpot_ns() != 0 && itl_ns > static_cast<double>(slo.tpot_ns())) break;
    // A prompt waits for the step in hand, then takes its own.
    if (slo.ttft_ns() != 0 && prefill_ns + decode_ns > static_cast<double>(slo.ttft_ns())) break;
    best = batch;
  }
  return best;
}

}  // namespace

void plan_score(const Inputs& inputs, plan::RunPlan& plan) {
  const std::string gpu_model = gpu_of(plan);
  const serving::GpuSpec* gpu = find_gpu(inputs, gpu_model);
  if (gpu == nullptr) return;
  Problems ignored;  // a problem with a workload was reported when it was planned
  const WorkloadPlan workloads = plan_workloads(inputs, ignored);
  std::size_t next = 0;
  for (const Workload& workload : inputs.scenario.workloads()) {
    if (!workload.has_serving()) continue;
    const auto& engine_workload = *workloads.serving.at(next++).as<serving::ServingWorkload>();
    const MeanLengths mean = mean_lengths(inputs, engine_workload.service());
    const std::uint32_t gpus = replica_gpus(inputs, workload).value_or(0);
    if (mean.prompt <= 0 || gpus == 0) continue;
    const Result<serving::EngineSetup> engine =
        serving::derive_engine(engine_workload, *gpu, {gpus, true});
    if (!engine) continue;  // vLLM would refuse to start: the replicas will say so
    const std::int64_t batch = best_batch(*engine, mean, plan.slo());
    const serving::StepCosts& costs = engine->config.costs;
    plan::ScoreRate& rate = *plan.add_score_rates();
    rate.set_service(engine_workload.service());
    rate.set_model(engine_workload.model().name());
    rate.set_gpu(gpu->name());
    rate.set_tensor_parallel(gpus);
    rate.set_batch(static_cast<std::uint32_t>(batch));
    rate.set_mean_prompt_tokens(mean.prompt);
    rate.set_mean_output_tokens(mean.output);
    rate.set_prompt_gpu_seconds(static_cast<double>(costs.step_fs(prefill_of(mean))) /
                                kFsPerSecond * gpus / mean.prompt);
    rate.set_output_gpu_seconds(static_cast<double>(costs.step_fs(decode_of(mean, batch))) /
                                kFsPerSecond * gpus / static_cast<double>(batch));
  }
}

}  // namespace troupe::config
