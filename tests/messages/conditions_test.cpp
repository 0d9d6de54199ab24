#include "messages/conditions.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using std::chrono::seconds;

TEST(Conditions, MoveTheirTimeOnlyWithTheStatus) {
  ConditionList conditions;
  EXPECT_TRUE(set_condition(conditions, {.type = "Ready", .status = "False", .reason = "Booting"},
                            kTimeZero));
  EXPECT_TRUE(set_condition(conditions, {.type = "Ready", .status = "False", .reason = "Loading"},
                            kTimeZero + seconds(5)));
  EXPECT_EQ(find_condition(conditions, "Ready")->reason(), "Loading");
  EXPECT_EQ(find_condition(conditions, "Ready")->last_transition_time(), 0);
  EXPECT_FALSE(is_true(conditions, "Ready"));
  EXPECT_TRUE(
      set_condition(conditions, {.type = "Ready", .status = "True"}, kTimeZero + seconds(9)));
  EXPECT_EQ(find_condition(conditions, "Ready")->last_transition_time(), 9'000'000'000);
  EXPECT_TRUE(is_true(conditions, "Ready"));
  EXPECT_FALSE(
      set_condition(conditions, {.type = "Ready", .status = "True"}, kTimeZero + seconds(10)))
      << "the same state changes nothing";
}

TEST(Conditions, ComeAndGoByType) {
  ConditionList conditions;
  EXPECT_EQ(find_condition(conditions, "Ready"), nullptr);
  set_condition(conditions, {.type = "A", .status = "True"}, kTimeZero);
  set_condition(conditions, {.type = "B", .status = "True"}, kTimeZero);
  EXPECT_TRUE(remove_condition(conditions, "A"));
  EXPECT_FALSE(remove_condition(conditions, "A"));
  EXPECT_EQ(conditions.size(), 1);
}

}  // namespace
}  // namespace troupe
