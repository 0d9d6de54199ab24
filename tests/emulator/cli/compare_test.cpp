// `troupe compare`: what it says of its variants, and that it does nothing by halves.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/emulator/cli/program.h"
#include "tests/emulator/cli/scenario_folder.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using test::Output;
using test::troupe;

class Compare : public test::ScenarioFolder {
 protected:
  [[nodiscard]] Output compare(const std::string& more_arguments) const {
    return troupe("compare " + path("s.yaml") + " --out " + path("out") + " " + more_arguments);
  }
};

TEST_F(Compare, NamesTheExpectationThatFailed) {
  write("s.yaml",
        scenario("expect:\n  - {name: there are nodes, select: Node, field: count, op: \">=\", "
                 "value: 2, by: 5s}\nvariants:\n  one: {seed: 1}\n"));
  const Output output = compare("");
  EXPECT_EQ(output.exit_code, 1) << output.text;
  EXPECT_NE(output.text.find("FAIL         there are nodes: 1"), std::string::npos) << output.text;
}

TEST_F(Compare, EndsWithTheCommandsThatMakeEachRunAgain) {
  write("s.yaml", scenario("variants:\n  one: {seed: 5}\n  two: {seed: 6}\n"));
  const Output output = compare("");
  EXPECT_EQ(output.exit_code, 0) << output.text;
  for (const char* ending : {" --seed 5 --variant one\n", " --seed 6 --variant two\n"}) {
    EXPECT_NE(output.text.find("again: troupe run " + path("s.yaml") + ending), std::string::npos)
        << output.text;
  }
}

TEST_F(Compare, AShareOfNoRequestsIsNoNumber) {
  write("s.yaml", scenario(""));
  const Output output = compare("");
  EXPECT_EQ(output.exit_code, 0) << output.text;
  EXPECT_EQ(output.text.find("100.0 %"), std::string::npos) << output.text;
}

TEST_F(Compare, VariantThatIsWrongLeavesNoFolderOfTheOthers) {
  write("s.yaml", scenario("variants:\n  good: {seed: 1}\n  wrong: {duration: 5}\n"));
  const Output output = compare("");
  EXPECT_EQ(output.exit_code, 2) << output.text;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Compare, VariantNamedTwiceIsRefused) {
  write("s.yaml", scenario("variants:\n  one: {seed: 1}\n"));
  const Output output = compare("--variants one,one");
  EXPECT_EQ(output.exit_code, 2) << output.text;
  EXPECT_NE(output.text.find("each variant once"), std::string::npos) << output.text;
}

// A folder in the place of its run.log stops one variant; the other's outcome is kept.
TEST_F(Compare, OutcomeOfOneIsKeptWhenAnotherCannotBeWritten) {
  write("s.yaml", scenario("variants:\n  bad: {seed: 1}\n  good: {seed: 2}\n"));
  fs::create_directories(folder_ / "out" / "bad" / "run.log");
  const Output output = compare("");
  EXPECT_EQ(output.exit_code, 3) << output.text;
  EXPECT_NE(output.text.find("bad/run.log"), std::string::npos) << output.text;
  EXPECT_TRUE(fs::exists(folder_ / "out" / "good" / "summary.json"));
}

}  // namespace
}  // namespace troupe
