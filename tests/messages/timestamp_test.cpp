#include "messages/timestamp.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

TEST(Timestamps, CountFromTheFirstOfJanuary2026) {
  EXPECT_EQ(parse_timestamp("2026-01-01T00:00:00Z").value(), kTimeZero);
  EXPECT_EQ(parse_timestamp("2026-01-01T00:15:00.5Z").value(),
            kTimeZero + minutes(15) + milliseconds(500));
  EXPECT_EQ(parse_timestamp("2026-01-01T02:00:00+02:00").value(), kTimeZero);
  EXPECT_EQ(parse_timestamp("2025-12-31T23:00:00Z").value(), kTimeZero - hours(1));
  EXPECT_EQ(parse_timestamp("2028-02-29T00:00:00Z").value(),
            kTimeZero + hours(24 * (365 + 365 + 59)));
}

TEST(Timestamps, PrintWhatReadsBack) {
  for (const char* text :
       {"2026-01-01T00:00:00Z", "2026-01-01T00:15:00.5Z", "2025-12-31T23:59:59.999999999Z",
        "2024-02-29T12:34:56Z", "2026-12-31T23:59:59.000001Z"}) {
    EXPECT_EQ(print_timestamp(parse_timestamp(text).value()), text);
  }
}

TEST(Timestamps, RefuseNonsense) {
  for (const char* text :
       {"", "2026", "2026-01-01", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Zz", "0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "now"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

}  // namespace
}  // namespace troupe
