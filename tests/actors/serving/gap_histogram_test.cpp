#include "actors/serving/gap_histogram.h"

#include <array>

#include <gtest/gtest.h>

namespace troupe::serving {
namespace {

TEST(GapHistogram, StandsForEveryGapWithinOnePercent) {
  for (std::int64_t ns = 1; ns < 4'000'000'000'000; ns += 1 + ns / 37) {
    const auto bucket = GapHistogram::bucket_of(ns);
    EXPECT_LE(ns, GapHistogram::upper_ns(bucket));
    const std::int64_t off = std::abs(GapHistogram::middle_ns(bucket) - ns);
    EXPECT_LE(off * 100, ns) << ns;
  }
}

TEST(GapHistogram, BucketsFollowEachOtherWithoutGapOrOverlap) {
  for (GapHistogram::Bucket bucket = 0; bucket < 2000; ++bucket) {
    const std::int64_t upper = GapHistogram::upper_ns(bucket);
    EXPECT_EQ(GapHistogram::bucket_of(upper), bucket);
    EXPECT_EQ(GapHistogram::bucket_of(upper + 1), bucket + 1);
  }
}

TEST(GapHistogram, ASeriesCountsAsItsStepsDoOneByOne) {
  const std::array<std::int64_t, 3> bounds = {9'000'000, 9'500'000, 20'000'000};
  for (const std::int64_t growth : {0LL, 1LL, 777'777'777LL, 3'000'000'000'000LL}) {
    GapHistogram run, single;
    TimeHistogram run_times(bounds), single_times(bounds);
    const GapSeries series{8'999'999'999'999, growth, 500, 3};
    run.add(series);
    run_times.add(series);
    for (std::int64_t i = 0; i < 500; ++i) {
      const GapSeries one{series.first_fs + i * growth, 0, 1, 3};
      single.add(one);
      single_times.add(one);
    }
    EXPECT_EQ(run.counts(), single.counts());
    EXPECT_EQ(run_times.counts(), single_times.counts());
    EXPECT_EQ(run_times.sum_seconds(), single_times.sum_seconds());
  }
}

TEST(TimeHistogram, PutsAValueOnABoundBelowIt) {
  const std::array<std::int64_t, 2> bounds = {10, 20};
  TimeHistogram histogram(bounds);
  for (const std::int64_t ns : {10, 11, 20, 21}) histogram.add(ns);
  EXPECT_EQ(histogram.counts(), (std::vector<std::uint64_t>{1, 2, 1}));
}

}  // namespace
}  // namespace troupe::serving
