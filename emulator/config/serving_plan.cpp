#include "emulator/config/serving_plan.h"

#include <algorithm>

#include "emulator/config/values.h"

namespace troupe::config {
namespace {

const serving::ModelSpec* find_model(const Inputs& inputs, const std::string& name) {
  for (const serving::ModelSpec& model : inputs.models.models()) {
    const auto& aliases = model.aliases();
    if (model.name() == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
      return &model;
    }
  }
  return nullptr;
}

std::string known_models(const Inputs& inputs) {
  std::string names;
  for (const serving::ModelSpec& model : inputs.models.models()) {
    if (!names.empty()) names += ", ";
    names += model.aliases().empty() ? model.name() : model.aliases(0);
  }
  return names;
}

serving::EngineArgs engine_args(const Serving& spec) {
  serving::EngineArgs args;
  if (spec.block_size() != 0) args.set_block_size(spec.block_size());
  if (spec.max_num_seqs() != 0) args.set_max_num_seqs(spec.max_num_seqs());
  if (spec.max_num_batched_tokens() != 0) {
    args.set_max_num_batched_tokens(spec.max_num_batched_tokens());
  }
  if (spec.max_model_len() != 0) args.set_max_model_len(spec.max_model_len());
  if (spec.has_gpu_memory_utilization()) {
    args.set_gpu_memory_utilization(spec.gpu_memory_utilization());
  }
  if (spec.has_enable_prefix_caching())
    args.set_enable_prefix_caching(spec.enable_prefix_caching());
  if (!spec.kv_cache_dtype().empty()) args.set_kv_cache_dtype(spec.kv_cache_dtype());
  if (spec.has_fast_forward()) args.set_fast_forward(spec.fast_forward());
  return args;
}

serving::ServingWorkload serving_workload(const Inputs& inputs, const Serving& spec,
                                          const std::string& path, Problems& problems) {
  serving::ServingWorkload workload;
  workload.set_service(service_path(spec.service()));
  if (const serving::ModelSpec* model = find_model(inputs, spec.model())) {
    *workload.mutable_model() = *model;
  } else {
    problems.add(path + ".serving.model",
                 "unknown model '" + spec.model() + "'; expected one of " + known_models(inputs));
  }
  if (spec.has_gpu_memory_utilization() && spec.gpu_memory_utilization() > 1) {
    problems.add(path + ".serving.gpuMemoryUtilization", "expected a share of at most 1");
  }
  *workload.mutable_gpus() = inputs.gpus.gpus();
  *workload.mutable_args() = engine_args(spec);
  serving::LoadPlan& load = *workload.mutable_load();
  load.set_weights_bytes_per_second(bytes_or(spec.weights_bandwidth(), 0));
  for (int i = 0; i < spec.load_stages_size(); ++i) {
    serving::LoadStage& stage = *load.add_stages();
    stage.set_name(spec.load_stages(i).name());
    *stage.mutable_duration() =
        distribution(spec.load_stages(i).duration(),
                     path + ".serving.loadStages[" + std::to_string(i) + "].duration", problems);
  }
  return workload;
}

}  // namespace

WorkloadPlan plan_workloads(const Inputs& inputs, Problems& problems) {
  WorkloadPlan result;
  for (int i = 0; i < inputs.scenario.workloads_size(); ++i) {
    const Workload& workload = inputs.scenario.workloads(i);
    const std::string path = "workloads[" + std::to_string(i) + "]";
    if (workload.has_serving() == workload.has_job()) {
      problems.add(path, "expected exactly one of `serving` and `job`");
      continue;
    }
    hosts::WorkloadProfile profile;
    for (const KeyValue& label : workload.match()) {
      auto& match = *profile.add_match();
      match.set_key(label.key());
      match.set_value(label.value());
    }
    if (workload.has_job()) {
      profile.set_kind("job");
      *profile.mutable_duration() =
          distribution(workload.job().duration(), path + ".job.duration", problems);
      profile.set_exit_code(workload.job().exit_code());
    } else {
      profile.set_kind("serving");
      profile.set_serving_profile("workload-" + std::to_string(i));
      serving::ServingWorkload engine =
          serving_workload(inputs, workload.serving(), path, problems);
      engine.set_name(profile.serving_profile());
      result.serving.push_back(Payload::of(std::move(engine)));
    }
    result.profiles.push_back(std::move(profile));
  }
  return result;
}

std::string service_path(const std::string& service) {
  return service.find('/') == std::string::npos ? "default/" + service : service;
}

}  // namespace troupe::config
