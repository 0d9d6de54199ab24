// The scheduler and the cache together, without a clock: vLLM's rules, by the case's id where it
// has one.
#include "actors/serving/step_scheduler.h"

#include <gtest/gtest.h>

namespace troupe::serving {
namespace {

struct Bench {
  explicit Bench(std::uint32_t usable_blocks, SchedulerLimits limits = {},
                 bool prefix_caching = true)
      : cache({usable_blocks + 1, 16, prefix_caching}), scheduler(limits, cache) {}

  RequestHandle add(std::int64_t prompt, std::int64_t output, std::uint64_t content = 0) {
    Request request;
    request.prompt_tokens = prompt;
    request.output_tokens = output;
    request.kv.shared = cache.keys_of({{content, prompt}});
    return scheduler.add(std::move(request));
  }
  /// One step, from plan to end.
  const StepPlan& step() {
    scheduler.plan();
    scheduler.complete(1);
    for (const RequestHandle handle : scheduler.finished()) scheduler.forget(handle);
    return scheduler.current();
  }
  void steps(int count) {
    while (count-- > 0) step();
  }
  std::size_t blocks(RequestHandle handle) { return scheduler.request(handle).kv.blocks.size(); }
  const Request& request(RequestHandle handle) { return scheduler.request(handle); }

  KvCacheManager cache;
  StepScheduler scheduler;
};

TEST(StepScheduler, E1TakesABlockWhenTheSixteenTokensOfTheLastAreFull) {
  Bench bench(100);
  const RequestHandle handle = bench.add(100, 50);
  bench.step();  // prefill: output 1 is sampled, its keys and values come a step later
  EXPECT_EQ(bench.blocks(handle), 7u);
  EXPECT_EQ(bench.request(handle).num_generated_tokens, 1);
  bench.steps(12);  // decode steps write tokens 101 to 112
  EXPECT_EQ(bench.blocks(handle), 7u);
  bench.step();  // the 13th writes token 113 and yields output 14
  EXPECT_EQ(bench.blocks(handle), 8u);
  EXPECT_EQ(bench.request(handle).num_generated_tokens, 14);
}

TEST(StepScheduler, E2HitsFullBlocksBeforeTheLastToken) {
  Bench bench(100);
  bench.add(100, 1, 7);
  bench.step();
  bench.add(100, 1, 7);
  const StepPlan& again = bench.step();
  EXPECT_EQ(again.load.prefill_tokens, 4);  // hit: floor(99 / 16) = 6 blocks of 16
  EXPECT_EQ(bench.scheduler.prefix_stats().queries, 100u + 100u);
  EXPECT_EQ(bench.scheduler.prefix_stats().hits, 96u);
  bench.add(96, 1, 7);  // the same prompt's first 96 tokens: floor(95 / 16) = 5 blocks
  const StepPlan& shorter = bench.step();
  EXPECT_EQ(shorter.load.prefill_tokens, 16);
  EXPECT_EQ(bench.scheduler.prefix_stats().queries, 200u + 96u);
  EXPECT_EQ(bench.scheduler.prefix_stats().hits, 96u + 80u);
}

TEST(StepScheduler, HitsNothingWithoutPrefixCaching) {
  Bench bench(100, {}, false);
  bench.add(100, 1, 7);
  bench.step();
  bench.add(100, 1, 7);
  EXPECT_EQ(bench.step().load.prefill_tokens, 100);
  EXPECT_EQ(bench.scheduler.prefix_stats().queries, 0u);  // a cache that is off is not asked
}

TEST(StepScheduler, HitsThePromptThatIsPrefilledInTheSameStep) {
  Bench bench(100);
  bench.add(64, 1, 7);
  bench.add(64, 1, 7);
  EXPECT_EQ(bench.step().load.prefill_tokens, 64 + 16);
}

TEST(StepScheduler, E4SeatsNoMoreThanMaxNumSeqs) {
  Bench bench(1000, {.max_num_seqs = 4});
  bench.add(10, 2);  // ends first
  for (int i = 0; i < 5; ++i) bench.add(10, 50);
  bench.step();
  EXPECT_EQ(bench.scheduler.running().size(), 4u);
  EXPECT_EQ(bench.scheduler.waiting().size(), 2u);
  bench.step();  // the first one yields its second token and ends
  EXPECT_EQ(bench.scheduler.running().size(), 3u);
  bench.step();
  EXPECT_EQ(bench.scheduler.running().size(), 4u);
  EXPECT_EQ(bench.scheduler.waiting().size(), 1u);
}

TEST(StepScheduler, E5PreemptsTheNewestAndAdmitsNobodyInThatStep) {
  Bench bench(10);
  const RequestHandle a = bench.add(80, 40);
  const RequestHandle b = bench.add(80, 40);
  bench.step();
  EXPECT_EQ(bench.blocks(a), 5u);
  EXPECT_EQ(bench.blocks(b), 5u);
  EXPECT_EQ(bench.cache.pool().free_count(), 0u);

  bench.step();  // both need token 81
  EXPECT_EQ(bench.blocks(a), 6u);
  EXPECT_EQ(bench.request(b).num_preemptions, 1u);
  EXPECT_EQ(bench.request(b).num_computed_tokens, 0);
  EXPECT_EQ(bench.request(b).status, RequestStatus::Preempted);
  EXPECT_EQ(bench.scheduler.waiting().front(), b);
  EXPECT_EQ(bench.scheduler.running(), std::vector<RequestHandle>{a});

  bench.step();  // B has 81 tokens: 6 blocks, of which its 4 hits are the 4 that are free
  EXPECT_EQ(bench.scheduler.waiting().front(), b);
  bench.steps(37);  // A ends with its 40th token
  EXPECT_TRUE(bench.scheduler.running().empty());
  bench.step();
  EXPECT_EQ(bench.scheduler.running(), std::vector<RequestHandle>{b});
}

TEST(StepScheduler, E5PutsThePreemptedBeforeThoseWhoWaitAlready) {
  Bench bench(10, {.max_num_seqs = 2});
  bench.add(80, 40);
  const RequestHandle b = bench.add(80, 40);
  const RequestHandle c = bench.add(16, 1);
  bench.steps(2);
  const std::vector<RequestHandle> waiting(bench.scheduler.waiting().begin(),
                                           bench.scheduler.waiting().end());
  EXPECT_EQ(waiting, (std::vector<RequestHandle>{b, c}));
  bench.step();  // 4 blocks are free and C needs one, but B, the head, needs 6
  EXPECT_EQ(bench.scheduler.waiting().size(), 2u);
}

TEST(StepScheduler, E6HitsItsOwnBlocksWhenTheCacheStillHasThem) {
  KvCacheManager cache({21, 16, true});
  Request request;
  request.prompt_tokens = 80;
  request.kv.identity = 1;
  ASSERT_TRUE(cache.admit(request.kv, {}, 80));
  request.num_generated_tokens = 40;
  request.num_computed_tokens = 119;  // token 120 is sampled, not yet computed
  ASSERT_TRUE(cache.grow(request.kv, 119));
  cache.preempt(request.kv, request.num_computed_tokens);
  const PrefixHit hit = cache.find_hit(request.kv, request.num_tokens());
  EXPECT_EQ(hit.tokens, 112);  // floor(119 / 16) = 7 blocks; 8 tokens are computed again
  ASSERT_TRUE(cache.admit(request.kv, hit, request.num_tokens()));
  EXPECT_EQ(request.kv.blocks.size(), 8u);
}

TEST(StepScheduler, E6RecomputesEverythingWhenTheCacheWasWiped) {
  KvCacheManager cache({9, 16, true});
  Request request;
  request.prompt_tokens = 80;
  request.kv.identity = 1;
  ASSERT_TRUE(cache.admit(request.kv, {}, 119));
  cache.preempt(request.kv, 119);
  Request other;
  other.kv.identity = 2;
  ASSERT_TRUE(cache.admit(other.kv, {}, 8 * 16));  // takes every block
  cache.free(other.kv);
  EXPECT_EQ(cache.find_hit(request.kv, 120).tokens, 0);
}

TEST(StepScheduler, E6DoesNotCountReturnsFromPreemptionAsCacheQueries) {
  Bench bench(10);
  bench.add(80, 40);
  const RequestHandle b = bench.add(80, 40);
  bench.steps(41);
  EXPECT_EQ(bench.request(b).num_preemptions, 1u);
  EXPECT_EQ(bench.request(b).status, RequestStatus::Running);
  EXPECT_EQ(bench.scheduler.prefix_stats().queries, 160u);
  EXPECT_EQ(bench.scheduler.prefix_stats().hits, 0u);
}

TEST(StepScheduler, E8CountsOnlyBlocksOfLiveRequestsAsUsed) {
  Bench bench(10);
  bench.add(128, 1, 3);
  bench.scheduler.plan();
  EXPECT_DOUBLE_EQ(bench.cache.usage(), 0.8);
  bench.scheduler.complete(1);
  EXPECT_DOUBLE_EQ(bench.cache.usage(), 0.0);  // although 8 of 10 blocks hold a cached prefix
  bench.add(128, 1, 3);
  EXPECT_EQ(bench.scheduler.plan().load.prefill_tokens, 16);
}

TEST(StepScheduler, SplitsALongPrefillOverStepsAndLetsDecodesGoFirst) {
  Bench bench(1000, {.max_num_batched_tokens = 100});
  bench.add(10, 50);
  bench.step();
  const RequestHandle lengthy = bench.add(250, 5);
  const StepPlan& first = bench.step();
  EXPECT_EQ(first.load.decode_sequences, 1);
  EXPECT_EQ(first.load.prefill_tokens, 99);
  EXPECT_EQ(first.load.prefill_squares, 99 * 99);
  EXPECT_EQ(bench.step().load.prefill_squares, 198 * 198 - 99 * 99);
  EXPECT_EQ(bench.request(lengthy).num_generated_tokens, 0);
  EXPECT_EQ(bench.step().load.prefill_tokens, 52);
  EXPECT_EQ(bench.request(lengthy).num_generated_tokens, 1);
}

TEST(StepScheduler, LongPrefillThresholdLeavesRoomForOthers) {
  Bench bench(1000, {.max_num_batched_tokens = 100, .long_prefill_token_threshold = 60});
  bench.add(250, 5);
  bench.add(40, 5);
  EXPECT_EQ(bench.step().load.prefill_tokens, 100);
  EXPECT_EQ(bench.scheduler.running().size(), 2u);
}

TEST(StepScheduler, PlansIdenticalStepsUntilTheFirstEnd) {
  Bench bench(1000);
  bench.add(100, 50);
  bench.add(100, 20);
  bench.step();
  EXPECT_EQ(bench.scheduler.plan().steps, 19);
}

TEST(StepScheduler, PlansIdenticalStepsOnlyAsFarAsTheBlocksLast) {
  Bench bench(15);
  bench.add(80, 100);
  bench.add(80, 100);
  bench.step();
  // 5 + 5 blocks are held and 5 are free: each takes one at token 81 and one at 97, and at 113 one
  // is left for two.
  EXPECT_EQ(bench.scheduler.plan().steps, 32);
}

TEST(StepScheduler, AbortFreesTheBlocksOfARunningRequest) {
  Bench bench(10);
  const RequestHandle handle = bench.add(80, 40);
  bench.step();
  bench.scheduler.abort(handle);
  EXPECT_EQ(bench.cache.pool().used(), 0u);
  EXPECT_TRUE(bench.scheduler.running().empty());
}

}  // namespace
}  // namespace troupe::serving
