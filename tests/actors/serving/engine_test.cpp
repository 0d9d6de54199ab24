#include "actors/serving/engine.h"

#include <gtest/gtest.h>

#include "tests/actors/serving/engine_cases.h"

namespace troupe::serving {
namespace {

using testing::request_of;
using testing::run_until;
using testing::steady_engine;
using Kind = EngineOutput::Kind;
using std::chrono::milliseconds;

constexpr SimTime at_ms(std::int64_t ms) {
  return from_ns(ms * kMs);
}
constexpr std::int64_t kEnd = 3'600'000 * kMs;

TEST(Engine, YieldsTheFirstTokenAfterFrontendAndOneStepAndTheRestOneAStep) {
  EngineConfig config = steady_engine();
  config.costs.frontend_ns = 4 * kMs;
  Engine engine(config);
  ASSERT_TRUE(engine.submit(at_ms(100), request_of(1, 500, 10)));
  EXPECT_EQ(engine.next_event(), at_ms(104));
  std::vector<EngineOutput> out;
  engine.advance(at_ms(104), out);
  EXPECT_EQ(engine.next_event(), at_ms(114));
  engine.advance(at_ms(114), out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].kind, Kind::FirstToken);
  EXPECT_EQ(engine.next_event(), at_ms(114 + 9 * 10));
  engine.advance(at_ms(204), out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1].kind, Kind::Finished);
  EXPECT_EQ(out[1].output_tokens, 10);
  EXPECT_FALSE(engine.busy());
  EXPECT_EQ(engine.next_event(), std::nullopt);
}

TEST(Engine, AtHalfThePaceAStepTakesTwiceAsLongFromTheNextBoundaryOn) {
  Engine engine(steady_engine());
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 5, 11)));
  std::vector<EngineOutput> out;
  engine.advance(at_ms(10), out);
  engine.set_pace(at_ms(55), 500);  // five more steps are over at 60
  EXPECT_EQ(engine.next_event(), at_ms(60));
  engine.advance(at_ms(60), out);
  engine.set_pace(at_ms(75), Engine::kFullPace);  // the step in progress ends at 80
  const auto rest = run_until(engine, kEnd);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].kind, Kind::Finished);
  EXPECT_EQ(engine.busy_time(from_ns(kEnd)), milliseconds(120));
}

TEST(Engine, ARequestForOneTokenGetsItsFirstAndItsLastAtOnce) {
  Engine engine(steady_engine());
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 5, 1)));
  const auto out = run_until(engine, kEnd);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].kind, Kind::FirstToken);
  EXPECT_EQ(out[1].kind, Kind::Finished);
}

TEST(Engine, AnArrivalInARunTakesEffectAtTheNextBoundary) {
  Engine engine(steady_engine());
  std::vector<EngineOutput> out;
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 100, 100)));
  engine.advance(at_ms(0), out);
  engine.advance(at_ms(10), out);
  EXPECT_EQ(engine.next_event(), at_ms(1000));
  ASSERT_TRUE(engine.submit(at_ms(333), request_of(2, 100, 1)));
  EXPECT_EQ(engine.next_event(), at_ms(340));
  engine.advance(at_ms(340), out);
  EXPECT_EQ(engine.next_event(), at_ms(350));
  engine.advance(at_ms(350), out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[1].id, 2u);
  EXPECT_EQ(out[2].kind, Kind::Finished);
  EXPECT_EQ(engine.next_event(), at_ms(1000));
}

TEST(Engine, AnArrivalAtABoundaryJoinsTheStepThatBeginsThere) {
  Engine engine(steady_engine());
  std::vector<EngineOutput> out;
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 100, 100)));
  engine.advance(at_ms(0), out);
  engine.advance(at_ms(10), out);
  ASSERT_TRUE(engine.submit(at_ms(50), request_of(2, 100, 1)));
  EXPECT_EQ(engine.next_event(), at_ms(50));
}

TEST(Engine, AnArrivalBehindABlockedQueueCutsNothing) {
  EngineConfig config = steady_engine();
  config.limits.max_num_seqs = 1;
  Engine engine(config);
  std::vector<EngineOutput> out;
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 100, 100)));
  engine.advance(at_ms(0), out);
  engine.advance(at_ms(10), out);
  ASSERT_TRUE(engine.submit(at_ms(333), request_of(2, 100, 1)));
  EXPECT_EQ(engine.next_event(), at_ms(1000));
  EXPECT_EQ(engine.num_requests_waiting(at_ms(334)), 1u);
}

TEST(Engine, CancelFreesTheRequestAtTheNextBoundaryAndSaysNothing) {
  Engine engine(steady_engine());
  std::vector<EngineOutput> out;
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 100, 100)));
  engine.advance(at_ms(0), out);
  engine.advance(at_ms(10), out);
  engine.cancel(at_ms(55), 1);
  EXPECT_EQ(engine.next_event(), at_ms(60));
  engine.advance(at_ms(60), out);
  EXPECT_EQ(out.size(), 1u);  // the first token alone
  EXPECT_EQ(engine.live(), 0u);
  EXPECT_EQ(engine.cache().pool().used(), 0u);
  EXPECT_FALSE(engine.busy());
  EXPECT_EQ(engine.stats().finished_abort, 1u);
}

TEST(Engine, CancelBeforeTheSchedulerSawItLeavesNoTrace) {
  EngineConfig config = steady_engine();
  config.costs.frontend_ns = 4 * kMs;
  Engine engine(config);
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 100, 100)));
  engine.cancel(at_ms(1), 1);
  EXPECT_EQ(engine.next_event(), std::nullopt);
  engine.cancel(at_ms(1), 99);  // nobody
}

TEST(Engine, E9RefusesWhatExceedsTheModelsLength) {
  Engine engine(steady_engine());
  EXPECT_FALSE(engine.submit(at_ms(0), request_of(1, 9000, 1)));
  EngineRequest request = request_of(2, 8000, 10);
  request.max_tokens = 500;
  EXPECT_FALSE(engine.submit(at_ms(0), request));
  EXPECT_EQ(engine.live(), 0u);
  EXPECT_EQ(engine.next_event(), std::nullopt);
  EXPECT_EQ(engine.stats().prompt_tokens, 0u);
  EXPECT_TRUE(engine.submit(at_ms(0), request_of(3, 8000, 192)));
}

TEST(Engine, RefusesWhatAnEmptyCacheCannotHold) {
  Engine engine(steady_engine(10));
  EXPECT_FALSE(engine.submit(at_ms(0), request_of(1, 160, 1)));
  EXPECT_TRUE(engine.submit(at_ms(0), request_of(2, 159, 1)));
}

TEST(Engine, E6APreemptedRequestFeelsOneLongGapAndKeepsItsTimeToFirstToken) {
  Engine engine(steady_engine(10));
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 80, 40)));
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(2, 80, 40)));
  const auto out = run_until(engine, kEnd);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[1].kind, Kind::FirstToken);  // of the second request, with the first's
  EXPECT_EQ(out[3].id, 2u);
  EXPECT_EQ(out[3].output_tokens, 40);
  EXPECT_EQ(engine.scheduler().preemptions(), 1u);
  EXPECT_EQ(engine.stats().generation_tokens, 80u);
  EXPECT_EQ(engine.stats().prompt_tokens, 160u);
  // A's steps 2 to 40 take until 400 ms; B has its second token at 410 ms, 400 ms after its first.
  const auto& gaps = engine.stats().gaps.counts();
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps.at(GapHistogram::bucket_of(10 * kMs)), 39u + 38u);
  EXPECT_EQ(gaps.at(GapHistogram::bucket_of(400 * kMs)), 1u);
}

TEST(Engine, E8ReadsZeroUsageWhenIdleWithAFullPrefixCache) {
  Engine engine(steady_engine(10));
  EngineRequest request = request_of(1, 128, 1);
  request.prompt = {{3, 128}};
  ASSERT_TRUE(engine.submit(at_ms(0), request));
  run_until(engine, kEnd);
  EXPECT_EQ(engine.cache().usage(), 0.0);
  EXPECT_EQ(engine.num_requests_running(), 0u);
  request.id = 2;
  ASSERT_TRUE(engine.submit(at_ms(1000), request));
  run_until(engine, kEnd);
  EXPECT_EQ(engine.scheduler().prefix_stats().hits, 112u);
}

TEST(Engine, IsBusyWhileStepsRunHoweverManySequencesTheyHave) {
  Engine engine(steady_engine());
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 100, 11)));  // 0 to 110 ms
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(2, 100, 6)));
  run_until(engine, kEnd);
  ASSERT_TRUE(engine.submit(at_ms(500), request_of(3, 100, 5)));  // 500 to 550 ms
  run_until(engine, to_ns(at_ms(520)));
  EXPECT_EQ(engine.busy_time(at_ms(520)), milliseconds(130));
  run_until(engine, kEnd);
  EXPECT_EQ(engine.busy_time(at_ms(9000)), milliseconds(160));
}

TEST(Engine, ShowsTheStepInProgressToWhoeverLooks) {
  Engine engine(steady_engine());
  std::vector<EngineOutput> out;
  ASSERT_TRUE(engine.submit(at_ms(0), request_of(1, 96, 100)));
  engine.advance(at_ms(0), out);
  engine.advance(at_ms(10), out);
  EXPECT_EQ(engine.cache().pool().used(), 7u);
  engine.settle(at_ms(175));  // step 18 is in progress: token 113 needs an eighth block
  EXPECT_EQ(engine.cache().pool().used(), 8u);
  EXPECT_EQ(engine.stats().generation_tokens, 17u);
  EXPECT_EQ(engine.next_event(), at_ms(1000));
}

}  // namespace
}  // namespace troupe::serving
