#include "actors/api_client/token_bucket.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using namespace std::chrono_literals;

TEST(TokenBucket, LetsABurstGoAndThenOneByOne) {
  TokenBucket bucket(10, 3);
  const SimTime now = kTimeZero + 1s;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.take(now), now);
  EXPECT_EQ(bucket.take(now), now + 100ms);
  EXPECT_EQ(bucket.take(now), now + 200ms);
}

TEST(TokenBucket, SavesUpNoMoreThanItsBurst) {
  TokenBucket bucket(10, 2);
  for (int i = 0; i < 5; ++i) bucket.take(kTimeZero);
  const SimTime later = kTimeZero + 1h;
  EXPECT_EQ(bucket.take(later), later);
  EXPECT_EQ(bucket.take(later), later);
  EXPECT_EQ(bucket.take(later), later + 100ms);
}

TEST(TokenBucket, WithoutARateHoldsNobodyBack) {
  TokenBucket bucket(0, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(bucket.take(kTimeZero), kTimeZero);
}

TEST(TokenBucket, SaysWhetherATokenIsThere) {
  TokenBucket bucket(1, 1);
  EXPECT_TRUE(bucket.ready(kTimeZero));
  bucket.take(kTimeZero);
  EXPECT_FALSE(bucket.ready(kTimeZero + 999ms));
  EXPECT_TRUE(bucket.ready(kTimeZero + 1s));
}

}  // namespace
}  // namespace troupe
