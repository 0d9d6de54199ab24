#include "emulator/live/live_clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace troupe::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(LiveClock, StandsUntilItIsSet) {
  const LiveClock clock;
  EXPECT_EQ(clock.now(), kTimeZero);
  EXPECT_EQ(clock.when(kTimeZero + seconds(1)), std::nullopt);
}

TEST(LiveClock, RunsAtItsSpeedAndNeverGoesBack) {
  LiveClock clock;
  clock.set(kTimeZero + seconds(10), 100 * 1'000'000);
  std::this_thread::sleep_for(milliseconds(20));
  const SimTime then = clock.now();
  EXPECT_GE(then, kTimeZero + seconds(12));
  clock.set(kTimeZero, 0);
  EXPECT_GE(clock.now(), then);
}

TEST(LiveClock, SaysWhenATimeWillCome) {
  LiveClock clock;
  clock.set(kTimeZero, 30 * 1'000'000);
  const SimTime time = kTimeZero + seconds(3);
  const auto wall = clock.when(time);
  ASSERT_TRUE(wall.has_value());
  std::this_thread::sleep_until(*wall);
  EXPECT_GE(clock.now(), time) << "woken then, it is not too early";
}

}  // namespace
}  // namespace troupe::live
