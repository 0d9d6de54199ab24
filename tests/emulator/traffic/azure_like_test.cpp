// The shipped traffic of the Azure conversation trace's shape, held against figures measured on the
// trace.
#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "actors/load/request_source.h"
#include "emulator/config/generator_plan.h"
#include "emulator/manifests/document_reader.h"
#include "emulator/traffic/trace_reader.h"
#include "tests/actors/load/load_fixture.h"
#include "tests/emulator/traffic/shared_data.h"

namespace troupe::traffic {
namespace {

struct Traffic {
  std::vector<double> at;  ///< seconds
  std::vector<double> prompt;
  std::vector<double> output;
};

Traffic generate(std::uint64_t seed) {
  config::Generator spec;
  const auto diagnostics = manifests::load_document(
      TROUPE_SOURCE_DIR "/scenarios/traces/azure-like-conversation.yaml", spec);
  EXPECT_TRUE(diagnostics.empty()) << manifests::to_string(diagnostics);
  config::Problems problems;
  load::LoadConfig config;
  *config.mutable_generator() = config::plan_generator(spec, "generator", problems);
  EXPECT_TRUE(problems.empty());
  const auto source = load::make_request_source(config, "load/azure");
  const RandomBits bits = load::seeded_bits(seed);
  Traffic traffic;
  while (const auto request = source->next(bits)) {
    traffic.at.push_back(static_cast<double>(to_ns(request->at)) / 1e9);
    traffic.prompt.push_back(request->shape.prompt_tokens);
    traffic.output.push_back(request->shape.output_tokens);
  }
  return traffic;
}

Traffic recorded(const load::Trace& trace) {
  Traffic traffic;
  double now = 0;
  for (int i = 0; i < trace.gap_ns_size(); ++i) {
    now += static_cast<double>(trace.gap_ns(i)) / 1e9;
    traffic.at.push_back(now);
    traffic.prompt.push_back(trace.prompt_tokens(i));
    traffic.output.push_back(trace.output_tokens(i));
  }
  return traffic;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double q) {
  const auto nth =
      values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

// Variance over mean of the number of arrivals in windows of this many seconds: 1 for a Poisson
// process.
double dispersion(const std::vector<double>& at, double window) {
  std::vector<double> counts(static_cast<std::size_t>(at.back() / window), 0);
  for (const double time : at) {
    const auto index = static_cast<std::size_t>(time / window);
    if (index < counts.size()) ++counts[index];
  }
  const double average = mean(counts);
  double squares = 0;
  for (const double count : counts) squares += (count - average) * (count - average);
  return squares / static_cast<double>(counts.size()) / average;
}

double mean_output_of(const Traffic& traffic, double prompt_from, double prompt_to) {
  std::vector<double> outputs;
  for (std::size_t i = 0; i < traffic.prompt.size(); ++i) {
    const bool inside = traffic.prompt[i] >= prompt_from && traffic.prompt[i] < prompt_to;
    if (inside) outputs.push_back(traffic.output[i]);
  }
  return mean(outputs);
}

// 19,366 requests (standard deviation 139), mean prompt 1,154.7 (its own deviation 8) and output
// 211.1 tokens (1.2).
TEST(AzureLikeTraffic, HasTheTracesVolume) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Traffic traffic = generate(seed);
    EXPECT_NEAR(static_cast<double>(traffic.at.size()), 19'366, 600);
    EXPECT_LT(traffic.at.back(), 3501.722);
    EXPECT_NEAR(mean(traffic.prompt), 1154.7, 40);
    EXPECT_NEAR(mean(traffic.output), 211.1, 6);
  }
}

// 3.9 and 16 on the trace; a Poisson process of its mean rate has 1.
TEST(AzureLikeTraffic, HasTheTracesBurstiness) {
  const Traffic traffic = generate(1);
  EXPECT_NEAR(dispersion(traffic.at, 10), 3.9, 0.9);
  EXPECT_NEAR(dispersion(traffic.at, 60), 16.1, 3);
}

TEST(AzureLikeTraffic, FollowsTheRealTraceWhereItIsHere) {
  TROUPE_REQUIRE_DATA(path, "traces/AzureLLMInferenceTrace_conv.csv");
  const auto file = read_trace(*path);
  ASSERT_TRUE(file);
  const Traffic real = recorded(file->trace);
  const Traffic like = generate(1);
  for (const double q : {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99}) {
    EXPECT_NEAR(quantile(like.prompt, q), quantile(real.prompt, q), 0.05 * quantile(real.prompt, q))
        << q;
    EXPECT_NEAR(quantile(like.output, q), quantile(real.output, q), 0.08 * quantile(real.output, q))
        << q;
  }
  // Prompts about 1,100 tokens long have long answers, the longest prompts short ones: the joint
  // shape.
  for (const auto& [from, to] :
       std::map<double, double>{{0, 300}, {400, 700}, {1020, 1130}, {2735, 1e9}}) {
    const double expected = mean_output_of(real, from, to);
    EXPECT_NEAR(mean_output_of(like, from, to), expected, 0.08 * expected) << from;
  }
}

}  // namespace
}  // namespace troupe::traffic
