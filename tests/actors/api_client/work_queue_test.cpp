#include "actors/api_client/work_queue.h"

#include <gtest/gtest.h>

#include "tests/support/fake_context.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using testing::FakeContext;

struct WorkQueueTest : ::testing::Test {
  FakeContext context;
  std::vector<std::string> taken;

  WorkQueue::Work keep() {
    return [this](Context&, const std::string& key) { taken.push_back(key); };
  }
};

using Keys = std::vector<std::string>;

TEST_F(WorkQueueTest, HandsOutEachKeyOnceInOrder) {
  WorkQueue queue({.workers = 9}, keep());
  for (const char* key : {"b", "a", "b", "c", "a"}) queue.add(context, key);
  EXPECT_TRUE(taken.empty()) << "work begins in a message of its own";
  context.run_timers(queue, 0s);
  EXPECT_EQ(taken, (Keys{"b", "a", "c"}));
}

TEST_F(WorkQueueTest, KeepsNoMoreBusyThanItsWorkers) {
  WorkQueue queue({.workers = 2}, keep());
  for (const char* key : {"a", "b", "c"}) queue.add(context, key);
  context.run_timers(queue, 0s);
  EXPECT_EQ(taken, (Keys{"a", "b"}));
  queue.done(context, "a");
  context.run_timers(queue, 0s);
  EXPECT_EQ(taken, (Keys{"a", "b", "c"}));
}

TEST_F(WorkQueueTest, NeverGivesOneKeyToTwoWorkers) {
  WorkQueue queue({.workers = 2}, keep());
  queue.add(context, "a");
  context.run_timers(queue, 0s);
  queue.add(context, "a");
  context.run_timers(queue, 1s);
  EXPECT_EQ(taken, (Keys{"a"}));
  queue.done(context, "a");
  context.run_timers(queue, 0s);
  EXPECT_EQ(taken, (Keys{"a", "a"}));
}

TEST_F(WorkQueueTest, BacksOffTwiceAsLongWithEachFailure) {
  WorkQueue queue({.retry_qps = 0}, keep());
  std::vector<Duration> waits;
  for (int i = 0; i < 4; ++i) {
    queue.retry(context, "a");
    const SimTime before = context.now();
    while (taken.size() == static_cast<std::size_t>(i))
      queue.receive(context, *context.next_timer());
    waits.push_back(context.now() - before);
    queue.done(context, "a");
  }
  EXPECT_EQ(waits, (std::vector<Duration>{5ms, 10ms, 20ms, 40ms}));
  EXPECT_EQ(queue.retries("a"), 4u);
  queue.forget("a");
  EXPECT_EQ(queue.retries("a"), 0u);
}

TEST_F(WorkQueueTest, BacksOffNoLongerThanItsMaximum) {
  WorkQueue queue({.backoff_max = 1000s, .retry_qps = 0}, keep());
  for (int i = 0; i < 40; ++i) queue.retry(context, "a");
  context.run_timers(queue, 5ms);
  ASSERT_EQ(taken.size(), 1u) << "the earliest of its times counts";
  queue.done(context, "a");
  queue.retry(context, "a");
  context.run_timers(queue, 999s);
  EXPECT_EQ(taken.size(), 1u);
  context.run_timers(queue, 1s);
  EXPECT_EQ(taken.size(), 2u);
}

TEST_F(WorkQueueTest, LimitsTheRetriesOfAllKeysTogether) {
  WorkQueue queue({.workers = 9, .retry_qps = 10, .retry_burst = 2}, keep());
  for (const char* key : {"a", "b", "c", "d"}) queue.retry(context, key);
  context.run_timers(queue, 50ms);
  EXPECT_EQ(taken, (Keys{"a", "b"}));
  context.run_timers(queue, 50ms);
  EXPECT_EQ(taken, (Keys{"a", "b", "c"}));
}

TEST_F(WorkQueueTest, ADelayedKeyComesAtItsEarliestTime) {
  WorkQueue queue({.workers = 9}, keep());
  queue.add_after(context, "a", 10s);
  queue.add_after(context, "a", 3s);
  queue.add_after(context, "a", 20s);
  context.run_timers(queue, 3s);
  EXPECT_EQ(taken, (Keys{"a"}));
  queue.done(context, "a");
  context.run_timers(queue, 60s);
  EXPECT_EQ(taken, (Keys{"a"}));
}

TEST_F(WorkQueueTest, AKeyThatItsOwnWorkAddsAgainDoesNotStarveTheOthers) {
  WorkQueue* self = nullptr;
  int left = 5;
  WorkQueue queue({.workers = 1}, [&](Context& now, const std::string& key) {
    taken.push_back(key);
    if (key == "a" && left-- > 0) self->add(now, "a");
    self->done(now, key);
  });
  self = &queue;
  queue.add(context, "a");
  queue.add(context, "b");
  context.run_timers(queue, 0s);
  EXPECT_EQ(taken, (Keys{"a", "b", "a", "a", "a", "a", "a"}));
}

}  // namespace
}  // namespace troupe
