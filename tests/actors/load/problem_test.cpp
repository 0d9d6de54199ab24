#include "actors/load/problem.h"

#include <chrono>
#include <functional>

#include <gtest/gtest.h>

#include "tests/actors/load/load_fixture.h"

namespace troupe::load {
namespace {

using namespace std::chrono_literals;

LoadConfig generated() {
  LoadConfig config;
  *config.mutable_generator()->mutable_arrivals()->mutable_phases() =
      phases_of({{1, 60s}, {2, 0s}});
  *config.mutable_generator()->mutable_lengths()->mutable_prompt() = constant_tokens(10);
  *config.mutable_generator()->mutable_lengths()->mutable_output() = constant_tokens(10);
  return config;
}

LoadConfig recorded() {
  LoadConfig config;
  Trace& trace = *config.mutable_trace();
  trace.add_gap_ns(5);
  trace.add_prompt_tokens(100);
  trace.add_output_tokens(10);
  trace.add_block_count(2);
  trace.add_blocks(1);
  trace.add_blocks(2);
  trace.set_block_tokens(64);
  return config;
}

bool breaks(LoadConfig config, const std::function<void(LoadConfig&)>& change) {
  EXPECT_FALSE(problem_of(config));
  change(config);
  return problem_of(config).has_value();
}

TEST(LoadProblem, NothingIsNoLoad) {
  EXPECT_TRUE(problem_of(LoadConfig{}));
}

TEST(LoadProblem, PatienceAndRetriesAreBounded) {
  EXPECT_TRUE(breaks(generated(), [](LoadConfig& c) { c.set_timeout_ns(-1); }));
  EXPECT_TRUE(breaks(generated(), [](LoadConfig& c) { c.mutable_retry()->set_retries(256); }));
  EXPECT_FALSE(breaks(generated(), [](LoadConfig& c) { c.mutable_retry()->set_retries(255); }));
}

TEST(LoadProblem, PhasesHaveRatesAndLengths) {
  const auto with = [](const Phases& phases) {
    return [phases](LoadConfig& c) {
      *c.mutable_generator()->mutable_arrivals()->mutable_phases() = phases;
    };
  };
  EXPECT_TRUE(breaks(generated(), with(phases_of({{-1, 5s}}))));
  EXPECT_TRUE(breaks(generated(), with(phases_of({{2e6, 5s}}))));
  EXPECT_TRUE(breaks(generated(), with(phases_of({{1, -5s}}))));
  EXPECT_TRUE(breaks(generated(), with(phases_of({{1, 0s}, {1, 5s}}))));
  EXPECT_TRUE(breaks(generated(), with(phases_of({{1, 5s}, {1, 0s}}, true))));
}

TEST(LoadProblem, ADayHasAnAmplitudeAndAPeriod) {
  const auto with = [](std::uint32_t permille, Duration period) {
    return [permille, period](LoadConfig& c) {
      Diurnal& diurnal = *c.mutable_generator()->mutable_arrivals()->mutable_diurnal();
      diurnal.set_mean_micro_per_s(per_second(1));
      diurnal.set_amplitude_permille(permille);
      diurnal.set_period_ns(ns_of(period));
    };
  };
  EXPECT_FALSE(breaks(generated(), with(1000, 1h)));
  EXPECT_TRUE(breaks(generated(), with(1001, 1h)));
  EXPECT_TRUE(breaks(generated(), with(500, 1us)));
}

TEST(LoadProblem, AClosedLoopHasUsers) {
  const auto with = [](std::uint32_t users) {
    return [users](LoadConfig& c) {
      c.mutable_generator()->mutable_arrivals()->mutable_closed_loop()->set_users(users);
    };
  };
  EXPECT_FALSE(breaks(generated(), with(1)));
  EXPECT_TRUE(breaks(generated(), with(0)));
  EXPECT_TRUE(breaks(generated(), with(2'000'000)));
}

TEST(LoadProblem, AnEmpiricalDistributionGoesFromZeroToOne) {
  const auto with = [](std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> points) {
    Tokens tokens;
    tokens.set_shape(Tokens::EMPIRICAL);
    for (const auto& [ppm, value] : points) {
      tokens.add_probability_ppm(ppm);
      tokens.add_quantile(value);
    }
    return [tokens](LoadConfig& c) {
      *c.mutable_generator()->mutable_lengths()->mutable_output() = tokens;
    };
  };
  EXPECT_FALSE(breaks(generated(), with({{0, 1}, {1'000'000, 2}})));
  EXPECT_TRUE(breaks(generated(), with({{0, 1}})));
  EXPECT_TRUE(breaks(generated(), with({{0, 1}, {900'000, 2}})));
  EXPECT_TRUE(breaks(generated(), with({{0, 1}, {600'000, 2}, {500'000, 3}, {1'000'000, 4}})));
  EXPECT_TRUE(breaks(generated(), with({{0, 5}, {1'000'000, 2}})));
}

TEST(LoadProblem, ATraceIsCompleteAndRunsForwards) {
  EXPECT_TRUE(breaks(recorded(), [](LoadConfig& c) { c.mutable_trace()->set_gap_ns(0, -1); }));
  EXPECT_TRUE(breaks(recorded(), [](LoadConfig& c) { c.mutable_trace()->add_gap_ns(1); }));
  EXPECT_TRUE(breaks(recorded(), [](LoadConfig& c) { c.mutable_trace()->add_blocks(3); }));
  EXPECT_TRUE(breaks(recorded(), [](LoadConfig& c) { c.mutable_trace()->set_block_tokens(0); }));
  EXPECT_TRUE(breaks(recorded(), [](LoadConfig& c) { c.mutable_trace()->add_block_count(0); }));
}

}  // namespace
}  // namespace troupe::load
