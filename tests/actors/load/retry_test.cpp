#include "actors/load/retry.h"

#include <chrono>

#include <gtest/gtest.h>

namespace troupe::load {
namespace {

using namespace std::chrono_literals;

TEST(Retry, FollowsWhatMayPassByItself) {
  for (const std::uint32_t code : {0U, 408U, 409U, 429U, 500U, 503U})
    EXPECT_TRUE(is_retryable(code)) << code;
  for (const std::uint32_t code : {200U, 400U, 401U, 404U, 422U})
    EXPECT_FALSE(is_retryable(code)) << code;
}

TEST(Retry, BacksOffTwiceAsLongEachTimeUpToItsMost) {
  const RetryPolicy defaults;
  EXPECT_EQ(retry_backoff(defaults, 0, 0), 500ms);
  EXPECT_EQ(retry_backoff(defaults, 1, 0), 1s);
  EXPECT_EQ(retry_backoff(defaults, 4, 0), 8s);
  EXPECT_EQ(retry_backoff(defaults, 200, 0), 8s);
}

TEST(Retry, TakesAtMostAQuarterOffByChance) {
  EXPECT_EQ(retry_backoff(RetryPolicy{}, 0, ~std::uint64_t{0}), 375ms);
}

TEST(Retry, ObeysItsPolicy) {
  RetryPolicy policy;
  policy.set_first_backoff_ns(1'000'000);
  policy.set_backoff_ns_max(3'000'000);
  EXPECT_EQ(retry_backoff(policy, 0, 0), 1ms);
  EXPECT_EQ(retry_backoff(policy, 5, 0), 3ms);
}

}  // namespace
}  // namespace troupe::load
