#include "emulator/live/lateness.h"

#include <gtest/gtest.h>

namespace troupe::live {
namespace {

TEST(Lateness, APercentileIsExactToAnEighth) {
  for (const std::int64_t value : {0L, 1L, 7L, 8L, 100L, 12'345L, 1'000'000L, 987'654'321'000L}) {
    LatenessHistogram histogram;
    histogram.add(Duration(value));
    const std::int64_t found = histogram.percentile(50)->count();
    EXPECT_GE(found, value);
    EXPECT_LE(found, value + value / 8 + 1);
  }
}

TEST(Lateness, APercentileIsTheSmallestThatTheShareDoesNotExceed) {
  LatenessHistogram histogram;
  for (int i = 0; i < 98; ++i) histogram.add(Duration(1));
  histogram.add(Duration(5));
  histogram.add(Duration(6));
  EXPECT_EQ(histogram.percentile(98)->count(), 1);
  EXPECT_EQ(histogram.percentile(99)->count(), 5);
  EXPECT_EQ(histogram.percentile(100)->count(), 6);
  EXPECT_EQ(LatenessHistogram().percentile(50), std::nullopt);
}

TEST(Lateness, WhatIsEarlyIsNotLate) {
  LatenessHistogram histogram;
  histogram.add(Duration(-5));
  EXPECT_EQ(histogram.percentile(100)->count(), 0);
}

TEST(Lateness, WhatCameSinceIsTheDifference) {
  LatenessHistogram early;
  early.add(Duration(100), 10);
  LatenessHistogram late = early;
  late.add(Duration(3), 2);
  EXPECT_EQ(late.since(early).count(), 2u);
  EXPECT_EQ(late.since(early).percentile(99)->count(), 3);
}

TEST(Lateness, ATenthOfTheMedianIsTolerable) {
  Distribution latency;
  latency.set_shape(Distribution::CONSTANT);
  latency.set_a_ns(2'000'000);
  EXPECT_EQ(tolerable(latency).count(), 200'000);
}

}  // namespace
}  // namespace troupe::live
