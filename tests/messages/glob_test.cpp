#include "messages/glob.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

TEST(Glob, AStarStandsForAnyTextAlsoNone) {
  EXPECT_TRUE(matches_glob("gpu-*", "gpu-17"));
  EXPECT_TRUE(matches_glob("gpu-*", "gpu-"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("node/*/dcgm-exporter", "node/a/dcgm-exporter"));
  EXPECT_FALSE(matches_glob("gpu-*", "cpu-1"));
}

TEST(Glob, AQuestionMarkStandsForOneCharacter) {
  EXPECT_TRUE(matches_glob("a-?", "a-1"));
  EXPECT_FALSE(matches_glob("a-?", "a-12"));
  EXPECT_FALSE(matches_glob("a-?", "a-"));
}

TEST(Glob, GoesBackWhereAnEarlyStarTookTooLittle) {
  EXPECT_TRUE(matches_glob("*ab*abc", "xabyababc"));
  EXPECT_FALSE(matches_glob("*ab*abc", "xabyabab"));
}

TEST(Glob, AnEmptyPatternFitsEverythingAndAPlainOneItself) {
  EXPECT_TRUE(matches_glob("", "anything"));
  EXPECT_TRUE(matches_glob("a", "a"));
  EXPECT_FALSE(matches_glob("a", "ab"));
  EXPECT_FALSE(is_glob("node/a"));
  EXPECT_TRUE(is_glob("node/*"));
}

}  // namespace
}  // namespace troupe
