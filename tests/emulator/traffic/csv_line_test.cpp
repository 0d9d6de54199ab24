#include "emulator/traffic/csv_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace troupe::traffic {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(CsvLine, SplitsAtCommasAndTrims) {
  EXPECT_THAT(split_csv("a, b ,,c\r"), Optional(ElementsAre("a", "b", "", "c")));
  EXPECT_THAT(split_csv("a,"), Optional(ElementsAre("a", "")));
  EXPECT_THAT(split_csv("one"), Optional(ElementsAre("one")));
}

TEST(CsvLine, QuotesKeepCommasAndQuotes) {
  EXPECT_THAT(split_csv(R"("a,b","say ""x""",c)"), Optional(ElementsAre("a,b", "say \"x\"", "c")));
}

TEST(CsvLine, AnOpenQuoteIsRefused) {
  EXPECT_FALSE(split_csv(R"(a,"b)"));
}

}  // namespace
}  // namespace troupe::traffic
