#include "actors/serving/performance_model.h"

#include <algorithm>
#include <bit>

namespace troupe::serving {
namespace {

constexpr double kFsPerSecond = 1e15;
constexpr double kFsPerUs = 1e9;
constexpr std::int64_t kMiB = 1024 * 1024;

/// vLLM's defaults: vllm/config/cache.py, vllm/engine/arg_utils.py (API server).
constexpr std::int64_t kBlockSize = 16;
constexpr double kGpuMemoryUtilization = 0.9;
constexpr std::int64_t kLargeGpu =
    70LL * 1024 * kMiB;  // from here on, A100 apart: 8192 tokens and 1024 sequences
constexpr std::int64_t kMaxNumBatchedTokens = 8192;
constexpr std::int64_t kMaxNumBatchedTokensSmall = 2048;
constexpr std::int64_t kMaxNumSeqs = 1024;
constexpr std::int64_t kMaxNumSeqsSmall = 256;
/// Tokens of a step beyond which every expert of a mixture is taken to be read.
constexpr std::size_t kExpertTable = 512;
/// A cache of more blocks than this, by an override, has this many.
constexpr std::int64_t kBlocksMax = std::int64_t{1} << 30;
/// Bytes of an element of a 16-bit activation.
constexpr double kActivationBytes = 2;

std::int64_t to_fs(double femtoseconds) {
  return static_cast<std::int64_t>(femtoseconds + 0.5);
}

double active_parameters(const ModelSpec& model) {
  const double active = model.active_parameters_billion();
  return 1e9 * (active > 0 ? active : model.parameters_billion());
}

/// FLOP rate of the GEMMs: that of the weights' type where the GPU has it, else of 16 bits.
double gemm_flops(const ModelSpec& model, const GpuSpec& gpu) {
  double tflops = gpu.bf16_tflops();
  if (model.weight_type() == "fp8" && gpu.fp8_tflops() > 0) tflops = gpu.fp8_tflops();
  if (model.weight_type() == "fp4" && gpu.fp8_tflops() > 0) tflops = gpu.fp8_tflops();
  if (model.weight_type() == "fp4" && gpu.fp4_tflops() > 0) tflops = gpu.fp4_tflops();
  return tflops * 1e12 * gpu.gemm_efficiency();
}

/// Share of a mixture's parameters that no router chooses: everybody reads them.
double shared_share(const ModelSpec& model) {
  if (model.experts() == 0) return 1;
  const double chosen = static_cast<double>(model.experts_per_token()) / model.experts();
  const double active = active_parameters(model) / (1e9 * model.parameters_billion());
  // active = shared + chosen * (1 - shared)
  return std::max(0.0, (active - chosen) / (1 - chosen));
}

/// Time to read the routed experts that n tokens touch, for n = 0, 1, ..., each token choosing
/// independently.
std::vector<std::int64_t> expert_times(const ModelSpec& model, double read_all_fs) {
  if (model.experts() == 0) return {};
  const double missed = 1 - static_cast<double>(model.experts_per_token()) / model.experts();
  std::vector<std::int64_t> times;
  double untouched = 1;
  for (std::size_t tokens = 0; tokens < kExpertTable; ++tokens) {
    times.push_back(to_fs(read_all_fs * (1 - untouched)));
    untouched *= missed;
  }
  times.push_back(to_fs(read_all_fs));
  return times;
}

/// Femtoseconds that the all-reduces of one token's activations keep the links busy. Two for each
/// layer, each moving 2 (n-1)/n of the data (a ring's volume).
double all_reduce_token_fs(const ModelSpec& model, const GpuSpec& gpu, const Parallelism& group) {
  const double n = group.tensor_parallel;
  const double bytes = 2.0 * model.layers() * model.hidden_size() * kActivationBytes;
  const double gb_per_second =
      group.one_link_domain ? gpu.link_gb_per_second() : gpu.network_gb_per_second();
  const double volume = bytes * 2 * (n - 1) / n;
  return volume / (gb_per_second * 1e9 * gpu.link_efficiency()) * kFsPerSecond;
}

/// Latency of a step's all-reduces: grows with the doublings of the group.
double all_reduce_latency_fs(const ModelSpec& model, const GpuSpec& gpu, const Parallelism& group) {
  const auto doublings = static_cast<double>(std::bit_width(group.tensor_parallel - 1));
  const double each = group.one_link_domain ? gpu.collective_us() : gpu.network_collective_us();
  return 2.0 * model.layers() * each * doublings * kFsPerUs;
}

bool large(const GpuSpec& gpu) {
  return gpu.memory_bytes() >= kLargeGpu && gpu.name().find("A100") == std::string::npos;
}

std::int64_t memory_granted(const GpuSpec& gpu, const EngineArgs& args) {
  const double utilization =
      args.has_gpu_memory_utilization() ? args.gpu_memory_utilization() : kGpuMemoryUtilization;
  return static_cast<std::int64_t>(utilization * static_cast<double>(gpu.memory_bytes()));
}

/// The engine's arguments, vLLM's defaults where they are absent.
EngineConfig engine_arguments(const ModelSpec& model, const GpuSpec& gpu, const EngineArgs& args) {
  EngineConfig config;
  config.cache.block_size = args.has_block_size() ? args.block_size() : kBlockSize;
  config.cache.prefix_caching = !args.has_enable_prefix_caching() || args.enable_prefix_caching();
  config.limits.max_num_batched_tokens =
      large(gpu) ? kMaxNumBatchedTokens : kMaxNumBatchedTokensSmall;
  if (args.has_max_num_batched_tokens()) {
    config.limits.max_num_batched_tokens = args.max_num_batched_tokens();
  }
  config.limits.max_num_seqs = large(gpu) ? kMaxNumSeqs : kMaxNumSeqsSmall;
  if (args.has_max_num_seqs()) config.limits.max_num_seqs = args.max_num_seqs();
  config.limits.long_prefill_token_threshold = args.long_prefill_token_threshold();
  if (args.has_fast_forward() && !args.fast_forward()) config.limits.max_identical_steps = 1;
  config.max_model_len = args.has_max_model_len() ? args.max_model_len() : model.max_model_len();
  return config;
}

/// Why vLLM would not start with these arguments, in its words; empty if it would.
std::string inconsistency(const EngineConfig& config, const ModelSpec& model,
                          const Parallelism& group) {
  const SchedulerLimits& limits = config.limits;
  if (group.tensor_parallel == 0) return "an engine needs at least one GPU";
  if (config.cache.block_size < 1) return "block_size must be positive";
  if (limits.max_num_seqs < 1) return "max_num_seqs must be positive";
  if (limits.max_num_batched_tokens < limits.max_num_seqs) {
    return "max_num_batched_tokens (" + std::to_string(limits.max_num_batched_tokens) +
           ") must be greater than or equal to max_num_seqs (" +
           std::to_string(limits.max_num_seqs) + ")";
  }
  if (model.attention_heads() % group.tensor_parallel != 0) {
    return "Total number of attention heads (" + std::to_string(model.attention_heads()) +
           ") must be divisible by tensor parallel size (" + std::to_string(group.tensor_parallel) +
           ")";
  }
  return {};
}

}  // namespace

StepCosts derive_costs(const ModelSpec& model, const GpuSpec& gpu, const EngineArgs& args,
                       const Parallelism& group) {
  const double n = group.tensor_parallel;
  const double hbm = gpu.hbm_gb_per_second() * 1e9;
  const double weights_fs = static_cast<double>(model.weight_bytes()) /
                            (hbm * gpu.weight_read_efficiency()) / n * kFsPerSecond;
  const double gemm_fs = 2 * active_parameters(model) / gemm_flops(model, gpu) / n * kFsPerSecond;
  const double head_width = static_cast<double>(model.attention_heads()) * model.head_dim();
  // Q K^T and P V: 4 FLOP for each pair and element of width; a causal mask leaves half of the
  // squares' pairs.
  const double square_fs =
      2.0 * model.layers() * head_width / (gpu.attention_tflops() * 1e12) / n * kFsPerSecond;
  const double sequence_fs = gpu.sequence_us() * kFsPerUs;
  const double shared = shared_share(model);
  const double launches_fs = (gpu.step_fixed_us() + gpu.layer_us() * model.layers()) * kFsPerUs;

  StepCosts costs;
  costs.base_fs =
      to_fs(launches_fs + weights_fs * shared + all_reduce_latency_fs(model, gpu, group));
  costs.experts_fs = expert_times(model, weights_fs * (1 - shared));
  costs.prefill_token_fs = to_fs(gemm_fs + all_reduce_token_fs(model, gpu, group));
  costs.prefill_square_fs = to_fs(square_fs);
  costs.prefill_sequence_fs = to_fs(sequence_fs);
  costs.decode_sequence_fs = to_fs(sequence_fs + gpu.decode_gemm_share() * gemm_fs);
  const double kv_bytes =
      static_cast<double>(kv_bytes_per_token(model, args, group.tensor_parallel));
  costs.decode_kv_token_fs = to_fs(kv_bytes / (hbm * gpu.kv_read_efficiency()) * kFsPerSecond);
  costs.frontend_ns = static_cast<std::int64_t>(gpu.frontend_us() * 1000 + 0.5);
  return costs;
}

std::int64_t kv_bytes_per_token(const ModelSpec& model, const EngineArgs& args,
                                std::uint32_t tensor_parallel) {
  const std::int64_t element = args.kv_cache_dtype() == "fp8" ? 1 : 2;
  const std::int64_t layers = model.layers();
  if (model.latent_dim() > 0)
    return layers * model.latent_dim() * element;  // every GPU holds it all
  const std::int64_t all = 2 * layers * model.kv_heads() * model.head_dim() * element;
  // Heads are split; with more GPUs than heads, heads are repeated.
  return all / std::min<std::int64_t>(tensor_parallel, model.kv_heads());
}

std::int64_t kv_capacity_tokens(const ModelSpec& model, const GpuSpec& gpu, const EngineArgs& args,
                                std::uint32_t tensor_parallel) {
  const std::int64_t overhead =
      gpu.engine_overhead_bytes() + (tensor_parallel > 1 ? gpu.collective_overhead_bytes() : 0);
  const std::int64_t room =
      memory_granted(gpu, args) - model.weight_bytes() / tensor_parallel - overhead;
  return room / kv_bytes_per_token(model, args, tensor_parallel);
}

bool is_measured(const ModelSpec& model, const GpuSpec& gpu, std::uint32_t tensor_parallel) {
  return std::ranges::any_of(gpu.measured(), [&](const MeasuredPair& pair) {
    return pair.model() == model.name() && pair.tensor_parallel() == tensor_parallel;
  });
}

Result<EngineSetup> derive_engine(const ServingWorkload& workload, const GpuSpec& gpu,
                                  const Parallelism& group) {
  const ModelSpec& model = workload.model();
  const EngineArgs& args = workload.args();
  EngineSetup setup;
  EngineConfig& config = setup.config;
  config = engine_arguments(model, gpu, args);
  if (const std::string wrong = inconsistency(config, model, group); !wrong.empty()) {
    return fail(wrong, workload.name());
  }
  config.costs = derive_costs(model, gpu, args, group);
  const std::int64_t capacity = kv_capacity_tokens(model, gpu, args, group.tensor_parallel);
  const std::int64_t blocks = args.has_num_gpu_blocks_override()
                                  ? args.num_gpu_blocks_override()
                                  : capacity / config.cache.block_size;
  if (blocks < 2) {
    return fail("No available memory for the cache blocks: the weights of " + model.name() +
                    " leave no room on " + std::to_string(group.tensor_parallel) + " x " +
                    gpu.name(),
                workload.name());
  }
  config.cache.num_blocks = static_cast<std::uint32_t>(std::min(blocks, kBlocksMax));
  setup.kv_tokens = (config.cache.num_blocks - 1) * config.cache.block_size;
  if (setup.kv_tokens < config.max_model_len) {
    return fail("max_model_len (" + std::to_string(config.max_model_len) +
                    ") is larger than the KV cache (" + std::to_string(setup.kv_tokens) +
                    " tokens): raise gpu_memory_utilization or lower max_model_len",
                workload.name());
  }
  setup.memory_mib = memory_granted(gpu, args) / kMiB;
  setup.extrapolated = !is_measured(model, gpu, group.tensor_parallel);
  return setup;
}

const GpuSpec* find_gpu(const ServingWorkload& workload, const std::string& name) {
  for (const GpuSpec& gpu : workload.gpus()) {
    if (gpu.name() == name || std::ranges::find(gpu.aliases(), name) != gpu.aliases().end())
      return &gpu;
  }
  return nullptr;
}

}  // namespace troupe::serving
