// `troupe run`: the command that it gives for another time, and what it does where it cannot write.
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

class Run : public test::ScenarioFolder {
 protected:
  Run() { write("s.yaml", scenario("")); }

  [[nodiscard]] Output run() const {
    return troupe("run " + path("s.yaml") + " --out " + path("out"));
  }
  // A file of the run folder to which every write fails, as on a full disk.
  void fill_disk_at(const std::string& file) const {
    fs::create_directories(folder_ / "out");
    fs::create_symlink("/dev/full", folder_ / "out" / file);
  }
  // Expects a failure of ours that names the file.
  static void failed(const Output& output, const std::string& file) {
    EXPECT_EQ(output.exit_code, 3) << output.text;
    EXPECT_NE(output.text.find(file + ": could not be written whole"), std::string::npos)
        << output.text;
  }
};

TEST_F(Run, CommandForAnotherTimeStandsAsAShellTakesIt) {
  const Output output = troupe("run " + path("s.yaml") + " --seed 7 --out " + path("out") +
                               " --set \"question=It's {a,b} for \\$5?\"");
  ASSERT_EQ(output.exit_code, 0) << output.text;
  const std::string expected =
      "again: troupe run " + path("s.yaml") + " --seed 7 --set 'question=It'\\''s {a,b} for $5?'\n";
  EXPECT_NE(output.text.find(expected), std::string::npos) << output.text;
}

TEST_F(Run, SummaryThatCannotBeWritten) {
  fill_disk_at("summary.json.part");
  failed(run(), "summary.json");
  EXPECT_FALSE(fs::exists(folder_ / "out" / "summary.json"));
}

TEST_F(Run, LogThatCannotBeWrittenCostsNoOutcome) {
  fill_disk_at("run.log");
  failed(run(), "run.log");
  EXPECT_TRUE(fs::exists(folder_ / "out" / "summary.json"));
  EXPECT_TRUE(fs::exists(folder_ / "out" / "journal" / "run.journal.zst"));
}

TEST_F(Run, OutcomeIsShownWhereItCannotBeKept) {
  fill_disk_at("summary.json.part");
  EXPECT_NE(run().text.find("10 virtual seconds in "), std::string::npos);
}

TEST_F(Run, FileNameThatIsNoText) {
  write("\xff.yaml", scenario(""));
  const Output output = troupe("run " + path("\xff.yaml") + " --out " + path("out"));
  EXPECT_EQ(output.exit_code, 2) << output.text;
  EXPECT_NE(output.text.find("expected a file name in UTF-8"), std::string::npos) << output.text;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Run, FolderThatCannotBeMade) {
  const Output output = troupe("run " + path("s.yaml") + " --out " + path("s.yaml") + "/out");
  EXPECT_EQ(output.exit_code, 2) << output.text;
  EXPECT_NE(output.text.find("cannot be made"), std::string::npos) << output.text;
}

TEST_F(Run, StandardOutputThatCannotBeWritten) {
  EXPECT_EQ(troupe("run " + path("s.yaml") + " --out " + path("out") + " > /dev/full").exit_code,
            3);
}

}  // namespace
}  // namespace troupe
