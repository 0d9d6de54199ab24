// What the README shows is what the program prints.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/emulator/cli/program.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;

struct Session {
  std::string arguments;  ///< of build/troupe
  std::vector<std::string> lines;
};

// The ```console blocks, each a command and what it printed.
std::vector<Session> sessions_of(const fs::path& file) {
  const std::string prompt = "$ build/troupe ";
  std::vector<Session> sessions;
  std::ifstream text(file);
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with(prompt)) {
      sessions.push_back({line.substr(prompt.size()), {}});
    } else if (inside && !line.empty()) {
      sessions.back().lines.push_back(line);
    }
  }
  return sessions;
}

TEST(Readme, ShowsWhatItsCommandsPrint) {
  const fs::path source = TROUPE_SOURCE_DIR;
  const fs::path out = fs::path(testing::TempDir()) / "troupe-readme";
  fs::remove_all(out);
  const std::vector<Session> sessions = sessions_of(source / "README.md");
  ASSERT_EQ(sessions.size(), 2u);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const test::Output output =
        test::shell("cd " + source.string() + " && " + TROUPE_PROGRAM + " " +
                    sessions[i].arguments + " --out " + (out / std::to_string(i)).string());
    EXPECT_EQ(output.exit_code, 0) << output.text;
    for (const std::string& line : sessions[i].lines) {
      EXPECT_NE(("\n" + output.text).find("\n" + line + "\n"), std::string::npos)
          << "README.md says '" << line << "', the program says:\n"
          << output.text;
    }
  }
  fs::remove_all(out);
}

}  // namespace
}  // namespace troupe
