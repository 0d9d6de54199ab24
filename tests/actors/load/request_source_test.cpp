#include "actors/load/request_source.h"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include "tests/actors/load/load_fixture.h"

namespace troupe::load {
namespace {

using namespace std::chrono_literals;

LoadConfig poisson(double rate, std::chrono::seconds length) {
  LoadConfig config;
  *config.mutable_generator()->mutable_arrivals()->mutable_phases() = phases_of({{rate, length}});
  *config.mutable_generator()->mutable_lengths()->mutable_prompt() = constant_tokens(100);
  *config.mutable_generator()->mutable_lengths()->mutable_output() = constant_tokens(10);
  return config;
}

std::vector<PlannedRequest> all_of(const LoadConfig& config) {
  const auto source = make_request_source(config, "load/a");
  std::vector<PlannedRequest> requests;
  const RandomBits bits = seeded_bits();
  while (auto next = source->next(bits)) requests.push_back(*next);
  return requests;
}

TEST(TraceSource, TellsTheTraceFromItsStart) {
  LoadConfig config;
  Trace& trace = *config.mutable_trace();
  trace.set_start_ns(ns_of(10s));
  for (const auto gap : {0s, 2s, 3s}) trace.add_gap_ns(ns_of(gap));
  for (const std::uint32_t prompt : {100U, 200U, 300U}) trace.add_prompt_tokens(prompt);
  for (const std::uint32_t output : {1U, 2U, 3U}) trace.add_output_tokens(output);
  const auto requests = all_of(config);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].at, from_ns(ns_of(10s)));
  EXPECT_EQ(requests[2].at, from_ns(ns_of(15s)));
  EXPECT_EQ(requests[2].shape.prompt_tokens, 300U);
  EXPECT_EQ(requests[2].shape.output_tokens, 3U);
  EXPECT_TRUE(requests[2].shape.segments.empty());
}

TEST(TraceSource, BlocksBecomeSegmentsThatCoverThePrompt) {
  LoadConfig config;
  Trace& trace = *config.mutable_trace();
  trace.set_block_tokens(512);
  const std::vector<std::vector<std::uint64_t>> blocks = {{0, 1}, {0, 1, 2}};
  for (const auto& of_request : blocks) {
    trace.add_gap_ns(0);
    trace.add_prompt_tokens(static_cast<std::uint32_t>(512 * of_request.size() - 100));
    trace.add_output_tokens(1);
    trace.add_block_count(static_cast<std::uint32_t>(of_request.size()));
    for (const std::uint64_t block : of_request) trace.add_blocks(block);
  }
  const auto requests = all_of(config);
  ASSERT_EQ(requests[0].shape.segments.size(), 2U);
  ASSERT_EQ(requests[1].shape.segments.size(), 3U);
  EXPECT_EQ(requests[0].shape.segments[0].tokens(), 512U);
  EXPECT_EQ(requests[0].shape.segments[1].tokens(), 412U);
  EXPECT_EQ(requests[0].shape.segments[0].content(), requests[1].shape.segments[0].content());
  EXPECT_NE(requests[1].shape.segments[1].content(), requests[1].shape.segments[2].content());
  EXPECT_NE(requests[0].shape.segments[0].content(), 0U) << "block 0 is a block like any other";
}

TEST(GeneratedSource, StartsWhereItShouldAndNeverRunsBackwards) {
  LoadConfig config = poisson(100, 10s);
  config.mutable_generator()->set_start_ns(ns_of(60s));
  const auto requests = all_of(config);
  EXPECT_NEAR(static_cast<double>(requests.size()), 1000, 160);
  SimTime last = from_ns(ns_of(60s));
  for (const PlannedRequest& request : requests) {
    EXPECT_GE(request.at, last);
    last = request.at;
  }
}

TEST(GeneratedSource, EndsAtItsDurationOrItsNumber) {
  LoadConfig config = poisson(100, 0s);
  config.mutable_generator()->set_duration_ns(ns_of(2s));
  for (const PlannedRequest& request : all_of(config)) EXPECT_LT(request.at, from_ns(ns_of(2s)));
  config.mutable_generator()->set_requests_max(7);
  EXPECT_EQ(all_of(config).size(), 7U);
}

TEST(RequestSource, IsNoneForAClosedLoopOrNothing) {
  LoadConfig config;
  EXPECT_EQ(make_request_source(config, "load/a"), nullptr);
  config.mutable_generator()->mutable_arrivals()->mutable_closed_loop()->set_users(3);
  EXPECT_EQ(make_request_source(config, "load/a"), nullptr);
}

}  // namespace
}  // namespace troupe::load
