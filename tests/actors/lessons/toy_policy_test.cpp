#include "actors/lessons/toy_policy.h"

#include <gtest/gtest.h>

namespace troupe::lessons {
namespace {

TEST(ToyPolicy, DutyCycleHasAFreeBandFrom20To70Percent) {
  const auto change = [](std::int64_t busy) {
    return wanted_change(ToyPolicy::DutyCycle, {.ready = 10, .busy = busy, .waiting = 99});
  };
  EXPECT_EQ(change(1), -1);
  EXPECT_EQ(change(2), 0);
  EXPECT_EQ(change(7), 0);
  EXPECT_EQ(change(8), 1);
}

TEST(ToyPolicy, QueueDepthAddsAFifthOfTheQueue) {
  const auto change = [](std::int64_t waiting) {
    return wanted_change(ToyPolicy::QueueDepth, {.ready = 4, .busy = 4, .waiting = waiting});
  };
  EXPECT_EQ(change(0), -1);
  EXPECT_EQ(change(5), 0);
  EXPECT_EQ(change(6), 1);
  EXPECT_EQ(change(29), 5);
}

TEST(ToyPolicy, KaiGangAddsAThirdOfTheQueueButTwoAtLeast) {
  const auto change = [](std::int64_t waiting) {
    return wanted_change(ToyPolicy::KaiGang, {.ready = 4, .busy = 0, .waiting = waiting});
  };
  EXPECT_EQ(change(0), -1);
  EXPECT_EQ(change(3), 0);
  EXPECT_EQ(change(4), 2);
  EXPECT_EQ(change(12), 4);
}

TEST(ToyPolicy, NamesGoBothWays) {
  for (const ToyPolicy policy : {ToyPolicy::DutyCycle, ToyPolicy::QueueDepth, ToyPolicy::KaiGang}) {
    EXPECT_EQ(toy_policy_of(name_of(policy)), policy);
  }
  EXPECT_FALSE(toy_policy_of("gang"));
}

}  // namespace
}  // namespace troupe::lessons
