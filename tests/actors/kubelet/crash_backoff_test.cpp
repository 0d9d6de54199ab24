#include "actors/kubelet/crash_backoff.h"

#include <gtest/gtest.h>

namespace troupe::kubelet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// The waits before the restarts of a container that dies as soon as it starts.
std::vector<Duration> waits(int restarts) {
  CrashBackoff backoff;
  SimTime now = kTimeZero + seconds(1);
  std::vector<Duration> result;
  for (int i = 0; i < restarts; ++i) {
    const SimTime finished = now;
    now = backoff.next_start(finished);
    result.push_back(now - finished);
    backoff.restarted(finished, now);
  }
  return result;
}

TEST(CrashBackoff, RestartsAtOnceThenAfterTenSecondsDoublingToFiveMinutes) {
  const std::vector<Duration> expected = {seconds(0),  seconds(10),  seconds(20),  seconds(40),
                                          seconds(80), seconds(160), seconds(300), seconds(300)};
  EXPECT_EQ(waits(8), expected);
}

TEST(CrashBackoff, CountsFromTheEndOfTheRun) {
  CrashBackoff backoff;
  backoff.restarted(kTimeZero, kTimeZero);
  const SimTime finished = kTimeZero + seconds(7);
  EXPECT_EQ(backoff.next_start(finished), kTimeZero + seconds(17));
}

TEST(CrashBackoff, ForgetsAContainerThatRanForMoreThanTenMinutes) {
  CrashBackoff backoff;
  backoff.restarted(kTimeZero, kTimeZero);
  const SimTime barely = kTimeZero + minutes(10);
  EXPECT_EQ(backoff.next_start(barely), barely + seconds(10));
  const SimTime longer = barely + seconds(1);
  EXPECT_EQ(backoff.next_start(longer), longer);
}

}  // namespace
}  // namespace troupe::kubelet
