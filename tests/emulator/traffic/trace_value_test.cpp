#include "emulator/traffic/trace_value.h"

#include <chrono>

#include <gtest/gtest.h>

namespace troupe::traffic {
namespace {

using namespace std::chrono_literals;

TEST(TraceOffset, KeepsNanoseconds) {
  EXPECT_EQ(parse_offset("3.000000001", 1s), Duration{3'000'000'001});
  EXPECT_EQ(parse_offset("1e-3", 1s), Duration{1'000'000});
  EXPECT_EQ(parse_offset("177", 1ms), Duration{177'000'000});
  EXPECT_EQ(parse_offset("0.18082736572060756", 1s), Duration{180'827'366});
}

TEST(TraceOffset, RefusesWhatIsNoTime) {
  for (const char* text : {"", "x", "1s", "-1", "nan", "inf", "1e300", "400000000"}) {
    EXPECT_FALSE(parse_offset(text, 1s)) << text;
  }
}

TEST(TraceDate, ReadsTheFormsOfTheAzureTraces) {
  const auto old_form = parse_date("2023-11-16 18:15:46.6805900");
  const auto with_zone = parse_date("2023-11-16 18:15:46.680590+00:00");
  const auto rfc = parse_date("2023-11-16T19:15:46.68059+01:00");
  ASSERT_TRUE(old_form);
  EXPECT_EQ(*old_form, with_zone);
  EXPECT_EQ(*old_form, rfc);
  const auto later = parse_date("2023-11-16 18:15:50.9951690");
  ASSERT_TRUE(later);
  EXPECT_EQ(*later - *old_form, Duration{4'314'579'000});
}

TEST(TraceDate, RefusesWhatIsNoDate) {
  for (const char* text :
       {"", "yesterday", "2023-13-16 18:15:46", "2023-11-16", "2023-11-16 25:00:00", "12.5"}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
}

TEST(TraceTokens, AreWholeAndBounded) {
  EXPECT_EQ(parse_tokens("374"), 374U);
  EXPECT_EQ(parse_tokens("374.0"), 374U);
  EXPECT_EQ(parse_tokens("0"), 0U);
  for (const char* text : {"", "-1", "1.5", "many", "1e12", "99999999999999999999999"}) {
    EXPECT_FALSE(parse_tokens(text)) << text;
  }
}

TEST(TraceTokens, FailureSaysWhatWasFound) {
  EXPECT_EQ(parse_tokens("abc").error().message, "expected a number of tokens, found \"abc\"");
}

}  // namespace
}  // namespace troupe::traffic
