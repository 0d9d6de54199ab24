// The step-time model beside measured tables. Every error is printed.
//
// Tables: NVIDIA Dynamo's planner test data, vLLM 0.10.1.1 on one H200
// (nvidia/Llama-3.1-8B-Instruct-FP8, revision after 2025-08-27; rows of more than 1,024 sequences
// are left out, since the engine queues them) and its pre-swept results on H100
// (nvidia/Llama-3.3-70B-Instruct-FP8), Apache-2.0.
#include "actors/serving/performance_model.h"

#include <array>
#include <cmath>
#include <iostream>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "tests/actors/serving/catalogue.h"
#include "tests/actors/serving/engine_cases.h"

namespace troupe::serving {
namespace {

using testing::gpu_named;
using testing::model_named;
using testing::run_until;
using testing::workload_of;

constexpr std::int64_t kLongEnough = 3'600'000 * kMs;

struct Prefill {
  std::int64_t tokens;
  double ttft_ms;
};
struct Decode {
  std::int64_t context;  // prompt and half the output
  std::int64_t sequences;
  double itl_ms;
};

constexpr std::array<Prefill, 17> kH200Prefill = {{{100, 19.525},
                                                   {1117, 38.494},
                                                   {2134, 49.968},
                                                   {3151, 63.215},
                                                   {4168, 87.342},
                                                   {5185, 104.894},
                                                   {6202, 123.237},
                                                   {7219, 143.295},
                                                   {8236, 171.029},
                                                   {9253, 194.532},
                                                   {10270, 232.073},
                                                   {11287, 240.384},
                                                   {12304, 262.46},
                                                   {13321, 296.155},
                                                   {14338, 313.34},
                                                   {15355, 354.089},
                                                   {16372, 375.483}}};
constexpr std::array<Decode, 38> kH200Decode = {
    {{350, 1, 4.38},      {350, 263, 19.111},  {350, 525, 31.072},  {350, 787, 42.49},
     {2997, 1, 4.427},    {2997, 49, 9.937},   {2997, 97, 15.479},  {2997, 145, 22.128},
     {2997, 193, 26.759}, {2997, 241, 31.797}, {2997, 289, 41.708}, {5644, 1, 4.511},
     {5644, 27, 10.132},  {5644, 53, 15.117},  {5644, 79, 19.674},  {5644, 105, 24.905},
     {5644, 131, 31.1},   {5644, 157, 35.802}, {8291, 1, 4.622},    {8291, 19, 11.729},
     {8291, 37, 15.582},  {8291, 55, 19.834},  {8291, 73, 24.87},   {8291, 91, 29.298},
     {8291, 109, 33.72},  {10938, 1, 4.695},   {10938, 15, 9.734},  {10938, 29, 14.925},
     {10938, 43, 19.469}, {10938, 57, 24.701}, {10938, 71, 30.77},  {13585, 1, 4.826},
     {13585, 12, 9.841},  {13585, 23, 15.794}, {13585, 34, 21.681}, {13585, 45, 23.541},
     {13585, 56, 29.339}, {13585, 67, 36.169}}};
constexpr std::int64_t kH200KvTokens = 945'029;
constexpr std::int64_t kH100KvTokens = 224'133;  // two GPUs

// The H100 tables at 2, 4 and 8 GPUs; of the last, the prefill row at 6,205 tokens is an outlier
// and left out.
constexpr std::array<Prefill, 9> kH100Prefill2 = {{{100, 32.461},
                                                   {2135, 208.303},
                                                   {4170, 397.401},
                                                   {6205, 614.51},
                                                   {8240, 832.271},
                                                   {10275, 1095.708},
                                                   {12310, 1371.683},
                                                   {14345, 1647.141},
                                                   {16380, 1957.104}}};
constexpr std::array<Prefill, 9> kH100Prefill4 = {{{100, 23.423},
                                                   {2135, 132.465},
                                                   {4170, 236.22},
                                                   {6205, 355.996},
                                                   {8240, 498.762},
                                                   {10275, 646.331},
                                                   {12310, 778.608},
                                                   {14345, 943.047},
                                                   {16380, 1132.696}}};
constexpr std::array<Prefill, 8> kH100Prefill8 = {{{100, 18.981},
                                                   {2135, 95.201},
                                                   {4170, 162.322},
                                                   {8240, 320.965},
                                                   {10275, 416.434},
                                                   {12310, 494.661},
                                                   {14345, 584.333},
                                                   {16380, 703.831}}};
constexpr std::array<Decode, 39> kH100Decode2 = {
    {{350, 1, 17.586},    {350, 47, 21.815},  {350, 93, 25.244},   {350, 139, 35.738},
     {350, 185, 35.509},  {350, 231, 36.995}, {350, 277, 59.653},  {350, 323, 61.155},
     {350, 369, 67.54},   {16671, 1, 19.447}, {16671, 2, 21.918},  {16671, 3, 24.435},
     {16671, 4, 27.097},  {16671, 5, 29.927}, {16671, 6, 32.713},  {16671, 7, 35.537},
     {16671, 8, 38.338},  {16671, 9, 41.408}, {16671, 10, 44.371}, {16671, 11, 47.156},
     {16671, 12, 50.192}, {32992, 1, 20.381}, {32992, 2, 26.693},  {32992, 3, 33.197},
     {32992, 4, 39.876},  {32992, 5, 46.794}, {32992, 6, 53.584},  {49313, 1, 21.19},
     {49313, 2, 33.507},  {49313, 3, 45.575}, {49313, 4, 57.588},  {65634, 1, 21.938},
     {65634, 2, 40.735},  {65634, 3, 59.283}, {81955, 1, 22.896},  {81955, 2, 49.334},
     {98276, 1, 23.644},  {98276, 2, 58.999}, {114597, 1, 24.54}}};
constexpr std::array<Decode, 39> kH100Decode4 = {
    {{350, 1, 12.143},   {350, 47, 16.197},  {350, 93, 19.175},   {350, 139, 25.011},
     {350, 185, 26.513}, {350, 231, 27.092}, {350, 277, 42.221},  {350, 323, 43.542},
     {350, 369, 44.368}, {16671, 1, 13.496}, {16671, 2, 15.401},  {16671, 3, 16.731},
     {16671, 4, 18.048}, {16671, 5, 19.572}, {16671, 6, 21.026},  {16671, 7, 22.569},
     {16671, 8, 24.129}, {16671, 9, 25.98},  {16671, 10, 27.518}, {16671, 11, 29.066},
     {16671, 12, 30.67}, {32992, 1, 14.304}, {32992, 2, 18.004},  {32992, 3, 21.354},
     {32992, 4, 24.854}, {32992, 5, 28.614}, {32992, 6, 32.299},  {49313, 1, 14.941},
     {49313, 2, 21.581}, {49313, 3, 27.907}, {49313, 4, 34.3},    {65634, 1, 15.478},
     {65634, 2, 25.384}, {65634, 3, 35.156}, {81955, 1, 15.886},  {81955, 2, 29.832},
     {98276, 1, 16.289}, {98276, 2, 34.876}, {114597, 1, 16.708}}};
constexpr std::array<Decode, 39> kH100Decode8 = {
    {{350, 1, 9.46},      {350, 47, 12.843},  {350, 93, 15.406},  {350, 139, 19.982},
     {350, 185, 22.028},  {350, 231, 22.75},  {350, 277, 28.652}, {350, 323, 33.565},
     {350, 369, 34.853},  {16671, 1, 10.569}, {16671, 2, 11.34},  {16671, 3, 12.345},
     {16671, 4, 13.208},  {16671, 5, 14.127}, {16671, 6, 15.047}, {16671, 7, 15.781},
     {16671, 8, 16.677},  {16671, 9, 18.709}, {16671, 10, 19.56}, {16671, 11, 20.399},
     {16671, 12, 21.259}, {32992, 1, 11.141}, {32992, 2, 13.19},  {32992, 3, 15.366},
     {32992, 4, 17.122},  {32992, 5, 19.312}, {32992, 6, 21.338}, {49313, 1, 11.638},
     {49313, 2, 15.423},  {49313, 3, 18.898}, {49313, 4, 22.298}, {65634, 1, 12.013},
     {65634, 2, 17.551},  {65634, 3, 22.836}, {81955, 1, 12.223}, {81955, 2, 19.945},
     {98276, 1, 12.527},  {98276, 2, 22.673}, {114597, 1, 12.691}}};

struct Errors {
  double sum = 0;
  double largest = 0;
  int rows = 0;

  void add(double modelled, double measured) {
    const double error = std::abs(modelled - measured) / measured * 100;
    sum += error;
    largest = std::max(largest, error);
    ++rows;
  }
  [[nodiscard]] double mean() const { return sum / rows; }
  void print(const std::string& what) const {
    std::cout << "model error, " << what << ": mean " << mean() << " %, largest " << largest
              << " %, " << rows << " rows\n";
  }
};

EngineConfig engine_of(std::string_view model, std::string_view gpu, std::uint32_t gpus) {
  const ServingWorkload workload = workload_of(model, gpu);
  return derive_engine(workload, workload.gpus(0), {.tensor_parallel = gpus}).value().config;
}

/// The time to first token of one request on an idle engine, through scheduler and chunks.
double ttft_ms(const EngineConfig& config, std::int64_t prompt) {
  Engine engine(config);
  EXPECT_TRUE(engine.submit(kTimeZero, testing::request_of(1, prompt, 1)));
  run_until(engine, kLongEnough);
  return engine.stats().ttft.sum_seconds() * 1e3;
}

/// The step in which `row.sequences` decode at their mean context.
double step_ms(const EngineConfig& config, const Decode& row) {
  StepLoad load;
  load.decode_sequences = row.sequences;
  load.decode_kv_tokens = row.sequences * row.context;
  return static_cast<double>(config.costs.step_fs(load)) / 1e12;
}

/// The benchmark itself: all requests at once, 500 tokens out, the mean of (end - first token) /
/// 499.
double replayed_itl_ms(const EngineConfig& config, const Decode& row) {
  Engine engine(config);
  for (std::int64_t i = 0; i < row.sequences; ++i) {
    EXPECT_TRUE(engine.submit(
        kTimeZero, testing::request_of(static_cast<std::uint64_t>(i), row.context - 250, 500)));
  }
  run_until(engine, kLongEnough);
  const double decoding = engine.stats().e2e.sum_seconds() - engine.stats().ttft.sum_seconds();
  return decoding * 1e3 / 499 / static_cast<double>(row.sequences);
}

TEST(PerformanceModel, H200TimeToFirstTokenIsWithinFivePercent) {
  const EngineConfig config = engine_of("llama-3.1-8b-fp8", "H200", 1);
  Errors errors;
  for (const Prefill& row : kH200Prefill) errors.add(ttft_ms(config, row.tokens), row.ttft_ms);
  errors.print("TTFT, Llama-3.1-8B FP8, H200");
  RecordProperty("ttft_mean_error_permille", static_cast<int>(errors.mean() * 10));
  EXPECT_LE(errors.mean(), 5.0);
}

TEST(PerformanceModel, H200InterTokenLatencyIsWithinTenPercent) {
  const EngineConfig config = engine_of("llama-3.1-8b-fp8", "H200", 1);
  Errors errors;
  for (const Decode& row : kH200Decode) errors.add(step_ms(config, row), row.itl_ms);
  errors.print("ITL, Llama-3.1-8B FP8, H200");
  RecordProperty("itl_mean_error_permille", static_cast<int>(errors.mean() * 10));
  EXPECT_LE(errors.mean(), 10.0);
}

TEST(PerformanceModel, KvCapacityIsWithinThreePercent) {
  Errors h200;
  h200.add(static_cast<double>(
               kv_capacity_tokens(model_named("llama-3.1-8b-fp8"), gpu_named("H200"), {}, 1)),
           kH200KvTokens);
  h200.print("KV capacity, Llama-3.1-8B FP8, H200");
  RecordProperty("kv_error_permille", static_cast<int>(h200.mean() * 10));
  EXPECT_LE(h200.mean(), 3.0);
  Errors h100;
  h100.add(static_cast<double>(
               kv_capacity_tokens(model_named("llama-3.3-70b-fp8"), gpu_named("H100"), {}, 2)),
           kH100KvTokens);
  h100.print("KV capacity, Llama-3.3-70B FP8, 2 x H100");
  EXPECT_LE(h100.mean(), 3.0);
}

struct Table {
  std::uint32_t gpus;
  std::span<const Prefill> prefill;
  std::span<const Decode> decode;
};

TEST(PerformanceModel, H100TablesOfATensorParallelGroupAreReplayedWithinTheSameGates) {
  for (const Table& table :
       {Table{2, kH100Prefill2, kH100Decode2}, Table{4, kH100Prefill4, kH100Decode4},
        Table{8, kH100Prefill8, kH100Decode8}}) {
    const EngineConfig config = engine_of("llama-3.3-70b-fp8", "H100", table.gpus);
    Errors ttft;
    for (const Prefill& row : table.prefill) ttft.add(ttft_ms(config, row.tokens), row.ttft_ms);
    Errors itl;
    for (const Decode& row : table.decode) itl.add(replayed_itl_ms(config, row), row.itl_ms);
    const std::string what = "Llama-3.3-70B FP8, " + std::to_string(table.gpus) + " x H100";
    ttft.print("TTFT, " + what);
    itl.print("ITL, " + what);
    EXPECT_LE(ttft.mean(), 5.0) << what;
    EXPECT_LE(itl.mean(), 10.0) << what;
  }
}

TEST(PerformanceModel, KvBytesFollowHeadsLayersAndGroup) {
  // 2 x 32 layers x 8 heads x 128 x 2 bytes
  EXPECT_EQ(kv_bytes_per_token(model_named("llama-3.1-8b"), {}, 1), 131'072);
  EXPECT_EQ(kv_bytes_per_token(model_named("llama-3.3-70b"), {}, 4), 327'680 / 4);
  EXPECT_EQ(kv_bytes_per_token(model_named("qwen3-30b-a3b"), {}, 8),
            98'304 / 4);  // 4 heads, repeated
  // 61 layers x 576 x 2 bytes, on every GPU
  EXPECT_EQ(kv_bytes_per_token(model_named("deepseek-v3"), {}, 8), 70'272);
  EngineArgs args;
  args.set_kv_cache_dtype("fp8");
  EXPECT_EQ(kv_bytes_per_token(model_named("llama-3.1-8b"), args, 1), 65'536);
}

TEST(PerformanceModel, MarksPairsWithoutATable) {
  const auto extrapolated = [](std::string_view model, std::string_view gpu, std::uint32_t gpus) {
    return !is_measured(model_named(model), gpu_named(gpu), gpus);
  };
  EXPECT_FALSE(extrapolated("llama-3.1-8b-fp8", "H200", 1));
  EXPECT_FALSE(extrapolated("llama-3.3-70b-fp8", "H100", 4));
  EXPECT_TRUE(extrapolated("llama-3.1-8b-fp8", "H200", 2));
  EXPECT_TRUE(extrapolated("llama-3.1-8b", "H100", 1));
  EXPECT_TRUE(extrapolated("llama-3.3-70b-fp8", "L40S", 4));
}

TEST(PerformanceModel, GroupsThatCrossTheNetworkAreSlower) {
  const ModelSpec model = model_named("llama-3.3-70b");
  const GpuSpec gpu = gpu_named("H100");
  const StepCosts whole = derive_costs(model, gpu, {}, {8, true});
  const StepCosts split = derive_costs(model, gpu, {}, {8, false});
  EXPECT_GT(split.base_fs, whole.base_fs);
  EXPECT_GT(split.prefill_token_fs, whole.prefill_token_fs);
  EXPECT_EQ(split.decode_kv_token_fs, whole.decode_kv_token_fs);
}

TEST(PerformanceModel, AMixtureReadsMoreOfItsExpertsTheMoreTokensAStepHas) {
  const StepCosts costs =
      derive_costs(model_named("qwen3-30b-a3b"), gpu_named("H100"), {}, {1, true});
  const auto step = [&](std::int64_t sequences) {
    StepLoad load;
    load.decode_sequences = sequences;
    return costs.step_fs(load) - sequences * costs.decode_sequence_fs;
  };
  EXPECT_LT(step(1), step(8));
  EXPECT_LT(step(8), step(64));
  // All 61 GB in the limit, and about a tenth of that for one token.
  const double hbm = 3350e9 * 0.898;
  EXPECT_NEAR(static_cast<double>(step(4000) - step(1)) / 1e15, (61e9 - 6.6e9) / hbm, 0.001);
}

TEST(DeriveEngine, TakesVllmsDefaultsOfTheGpu) {
  const EngineConfig h100 = engine_of("llama-3.1-8b", "H100", 1);
  EXPECT_EQ(h100.limits.max_num_batched_tokens, 8192);
  EXPECT_EQ(h100.limits.max_num_seqs, 1024);
  EXPECT_EQ(h100.cache.block_size, 16);
  EXPECT_TRUE(h100.cache.prefix_caching);
  EXPECT_EQ(h100.max_model_len, 131'072);
  const EngineConfig a100 = engine_of("llama-3.1-8b", "A100", 1);
  EXPECT_EQ(a100.limits.max_num_batched_tokens, 2048);
  EXPECT_EQ(a100.limits.max_num_seqs, 256);
  EXPECT_EQ(engine_of("llama-3.1-8b", "L40S", 1).limits.max_num_seqs, 256);
}

TEST(DeriveEngine, HoldsItsShareOfTheMemoryFromTheStart) {
  const ServingWorkload workload = workload_of("llama-3.1-8b", "H100");
  const EngineSetup setup = derive_engine(workload, workload.gpus(0), {1, true}).value();
  EXPECT_EQ(setup.memory_mib, 72'990);  // 0.9 of 81,100
}

TEST(DeriveEngine, RefusesAModelWhoseWeightsDoNotFit) {
  const ServingWorkload workload = workload_of("llama-3.3-70b", "H100");
  const auto refused = derive_engine(workload, workload.gpus(0), {1, true});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("leave no room"), std::string::npos);
  EXPECT_TRUE(derive_engine(workload, workload.gpus(0), {4, true}).has_value());
}

TEST(DeriveEngine, RefusesAGroupThatCannotShareTheHeads) {
  const ServingWorkload workload = workload_of("llama-3.1-8b", "H100");
  const auto refused = derive_engine(workload, workload.gpus(0), {3, true});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("divisible"), std::string::npos);
  EXPECT_FALSE(derive_engine(workload, workload.gpus(0), {0, true}).has_value());
}

TEST(DeriveEngine, RefusesABudgetBelowTheSeats) {
  ServingWorkload workload = workload_of("llama-3.1-8b", "H100");
  workload.mutable_args()->set_max_num_batched_tokens(512);
  EXPECT_FALSE(derive_engine(workload, workload.gpus(0), {1, true}).has_value());
  workload.mutable_args()->set_max_num_seqs(512);
  EXPECT_TRUE(derive_engine(workload, workload.gpus(0), {1, true}).has_value());
}

TEST(DeriveEngine, RefusesAModelLengthThatTheCacheCannotHold) {
  ServingWorkload workload = workload_of("llama-3.3-70b-fp8", "H100");
  workload.mutable_args()->set_num_gpu_blocks_override(1001);
  EXPECT_FALSE(derive_engine(workload, workload.gpus(0), {2, true}).has_value());
  workload.mutable_args()->set_max_model_len(16'000);
  EXPECT_TRUE(derive_engine(workload, workload.gpus(0), {2, true}).has_value());
}

}  // namespace
}  // namespace troupe::serving
