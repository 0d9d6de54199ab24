#include "messages/int_or_string.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

TEST(IntOrPercent, ReadsNumbersAndPercentages) {
  EXPECT_EQ(IntOrPercent::parse("3").value(), (IntOrPercent{3, false}));
  EXPECT_EQ(IntOrPercent::parse("25%").value(), (IntOrPercent{25, true}));
  EXPECT_EQ(IntOrPercent::parse("25%")->to_string(), "25%");
  for (const char* text : {"", "%", "x", "3x", "2.5%", "25 %", "99999999999999999999"}) {
    EXPECT_FALSE(IntOrPercent::parse(text)) << text;
  }
}

// maxSurge rounds up and maxUnavailable down, so that a rollout of one replica can proceed.
TEST(IntOrPercent, ScalesInTheAskedDirection) {
  const IntOrPercent quarter{25, true};
  EXPECT_EQ(quarter.of(10, Rounding::Up), 3);
  EXPECT_EQ(quarter.of(10, Rounding::Down), 2);
  EXPECT_EQ(quarter.of(8, Rounding::Up), 2);
  EXPECT_EQ(quarter.of(0, Rounding::Up), 0);
  EXPECT_EQ((IntOrPercent{7, false}.of(3, Rounding::Up)), 7);
}

TEST(IntOrPercent, FallsBackWhereUnset) {
  EXPECT_EQ(scaled_or("", {25, true}, 10, Rounding::Up), 3);
  EXPECT_EQ(scaled_or("4", {25, true}, 10, Rounding::Up), 4);
}

}  // namespace
}  // namespace troupe
