#include "emulator/checks/comparison.h"

#include <gtest/gtest.h>

namespace troupe::checks {
namespace {

using nlohmann::json;

Comparison comparison(const std::string& op, const std::string& value, double tolerance = 0) {
  config::Expectation spec;
  spec.set_op(op);
  spec.set_value(value);
  spec.set_tolerance(tolerance);
  const Result<Comparison> parsed = parse_comparison(spec);
  EXPECT_TRUE(parsed.has_value()) << op << " " << value;
  return *parsed;
}

std::string refusal(const std::string& op, const std::string& value) {
  config::Expectation spec;
  spec.set_op(op);
  spec.set_value(value);
  const Result<Comparison> parsed = parse_comparison(spec);
  return parsed ? "" : parsed.error().message;
}

TEST(Comparison, EqualsByTypeAndValue) {
  EXPECT_TRUE(comparison("==", "\"Running\"").holds("Running"));
  EXPECT_FALSE(comparison("==", "\"8\"").holds(8));
  EXPECT_TRUE(comparison("==", "8").holds(8.0));
  EXPECT_TRUE(comparison("==", "true").holds(true));
  EXPECT_TRUE(comparison("==", "null").holds(nullptr));
  EXPECT_FALSE(comparison("==", "0").holds(nullptr));  // what is not there is not zero
  EXPECT_TRUE(comparison("!=", "0").holds(nullptr));
}

TEST(Comparison, OrdersNumbersAndNothingElse) {
  EXPECT_TRUE(comparison("<", "2").holds(1.9));
  EXPECT_FALSE(comparison("<", "2").holds(2));
  EXPECT_TRUE(comparison("<=", "2").holds(2));
  EXPECT_FALSE(comparison(">", "2").holds(2));
  EXPECT_TRUE(comparison(">=", "2").holds(2));
  EXPECT_FALSE(comparison(">=", "2").holds("3"));
  EXPECT_FALSE(comparison("<", "2").holds(nullptr));
}

TEST(Comparison, ToleranceWidensBothWays) {
  const Comparison near = comparison("==", "87", 0.5);
  EXPECT_TRUE(near.holds(86.5));
  EXPECT_TRUE(near.holds(87.5));
  EXPECT_FALSE(near.holds(87.51));
  EXPECT_TRUE(comparison("<=", "2", 0.1).holds(2.1));
  EXPECT_TRUE(comparison(">=", "2", 0.1).holds(1.9));
  EXPECT_EQ(near.describe(), "== 87 (within 0.5)");
}

TEST(Comparison, FindsAValueInAListAndAPatternInAText) {
  EXPECT_TRUE(comparison("in", "[\"a\", \"b\"]").holds("b"));
  EXPECT_FALSE(comparison("in", "[\"a\", \"b\"]").holds("c"));
  EXPECT_FALSE(comparison("in", "[]").holds("c"));
  EXPECT_TRUE(comparison("matches", "\"^h100-[a-z]+$\"").holds("h100-base"));
  EXPECT_FALSE(comparison("matches", "\"^h100-[a-z]+$\"").holds("m7i"));
  EXPECT_TRUE(comparison("matches", "\"^4[0-9]$\"").holds(42));
  EXPECT_FALSE(comparison("matches", "\".*\"").holds(nullptr));
}

TEST(Comparison, RefusesValuesThatItsOperatorCannotUse) {
  EXPECT_EQ(refusal("in", "3"), "`in` expects a list as `value`");
  EXPECT_EQ(refusal("matches", "3"), "`matches` expects a regular expression as `value`");
  EXPECT_EQ(refusal("matches", "\"(\""), "`value` is no regular expression: \"(\"");
  EXPECT_EQ(refusal(">=", "\"many\""), "`>=` expects a number as `value`");
}

TEST(ValueAt, FollowsKeysAndPlacesInLists) {
  const json object = json::parse(R"({"a": {"b": [{"c": 1}, {"c": 2}]}, "x/y": 3})");
  EXPECT_EQ(value_at(object, "a.b.1.c"), 2);
  EXPECT_EQ(value_at(object, "a.b[0].c"), 1);
  EXPECT_EQ(value_at(object, "x/y"), 3);
  EXPECT_EQ(value_at(object, "a.b.2.c"), nullptr);
  EXPECT_EQ(value_at(object, "a.c"), nullptr);
  EXPECT_EQ(value_at(object, "a.b.first"), nullptr);
}

}  // namespace
}  // namespace troupe::checks
