// What holds of every source file: who includes whom, words that make a run differ, files that
// nobody builds. Each failure names file and line.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace troupe {
namespace {

namespace fs = std::filesystem;

struct SourceFile {
  std::string path;  ///< from the root of the tree, "actors/kai/task.h"
  std::vector<std::string> lines;

  [[nodiscard]] std::string at(std::size_t line) const {
    return path + ":" + std::to_string(line + 1) + ": " + lines[line];
  }
  [[nodiscard]] bool is_below(std::string_view folder) const {
    return path.starts_with(std::string(folder) + "/");
  }
};

std::vector<SourceFile> read_sources() {
  const fs::path root = TROUPE_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const char* folder : {"messages", "actors", "emulator", "tests", "benchmarks"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      SourceFile file{fs::relative(entry.path(), root).string(), {}};
      std::ifstream text(entry.path());
      for (std::string line; std::getline(text, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> files = read_sources();
  return files;
}

std::string without_comment(const std::string& line) {
  return line.substr(0, line.find("//"));
}

// Every line of code, tests and benchmarks left out, that holds `word`, except below these folders.
std::vector<std::string> uses(std::string_view word, const std::vector<std::string>& allowed) {
  std::vector<std::string> found;
  for (const SourceFile& file : sources()) {
    if (file.is_below("tests") || file.is_below("benchmarks")) continue;
    if (std::any_of(allowed.begin(), allowed.end(),
                    [&](const std::string& folder) { return file.is_below(folder); }))
      continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (without_comment(file.lines[i]).find(word) != std::string::npos)
        found.push_back(file.at(i));
    }
  }
  return found;
}

TEST(Style, AFolderIncludesOnlyWhatStandsBelowIt) {
  EXPECT_EQ(uses("#include \"emulator/", {"emulator"}), std::vector<std::string>{});
  EXPECT_EQ(uses("#include \"actors/", {"actors", "emulator"}), std::vector<std::string>{});
  EXPECT_EQ(uses("#include \"tests/", {}), std::vector<std::string>{});
}

TEST(Style, EachLibraryIsKnownToOneFolder) {
  const std::map<std::string, std::string> homes = {{"<caf/", "emulator/runtime"},
                                                    {"<yaml-cpp/", "emulator/manifests"},
                                                    {"<spdlog/", "emulator/processes"},
                                                    {"<CLI/", "emulator/cli"},
                                                    {"<zstd.h>", "emulator/journal"}};
  for (const auto& [header, home] : homes) {
    EXPECT_EQ(uses("#include " + header, {home}), std::vector<std::string>{});
  }
}

TEST(Style, ActorsAndMessagesKnowNoFilesThreadsOrStreams) {
  for (const char* header : {"<fstream>", "<filesystem>", "<iostream>", "<thread>", "<mutex>",
                             "<future>", "<unistd.h>", "<random>"}) {
    EXPECT_EQ(uses(std::string("#include ") + header, {"emulator"}), std::vector<std::string>{});
  }
}

TEST(Style, OnlyTheProgramReadsAClock) {
  for (const char* word : {"steady_clock", "system_clock", "std::time("}) {
    EXPECT_EQ(uses(word, {"emulator/cli", "emulator/live", "emulator/processes"}), std::vector<std::string>{});
  }
}

// A library's distribution or a table in hash order gives another run with another library.
TEST(Style, NothingIsDrawnOrOrderedByTheLibrary) {
  for (const char* word :
       {"std::rand", "random_device", "mt19937", "_distribution<", "std::shuffle", "std::hash<"}) {
    EXPECT_EQ(uses(word, {}), std::vector<std::string>{});
  }
}

TEST(Style, EverySourceIsBuilt) {
  const fs::path root = TROUPE_SOURCE_DIR;
  for (const SourceFile& file : sources()) {
    if (!file.path.ends_with(".cpp")) continue;
    // The list is in its folder or, where that has none, in one above.
    fs::path folder = (root / file.path).parent_path();
    while (!fs::exists(folder / "CMakeLists.txt")) folder = folder.parent_path();
    const std::string name = fs::relative(root / file.path, folder).string();
    std::ifstream text(folder / "CMakeLists.txt");
    const std::string list(std::istreambuf_iterator<char>(text), {});
    EXPECT_NE(list.find(name), std::string::npos) << file.path << " is in no CMakeLists.txt";
  }
}

TEST(Style, EveryHeaderSaysWhatItIsForAndIsReadOnce) {
  for (const SourceFile& file : sources()) {
    if (!file.path.ends_with(".h")) continue;
    ASSERT_FALSE(file.lines.empty()) << file.path;
    EXPECT_TRUE(file.lines.front().starts_with("//")) << file.at(0);
    EXPECT_NE(std::find(file.lines.begin(), file.lines.end(), "#pragma once"), file.lines.end())
        << file.path;
  }
}

TEST(Style, NoFileIsLongerThan500Lines) {
  for (const SourceFile& file : sources()) {
    EXPECT_LE(file.lines.size(), 500u) << file.path;
  }
}

TEST(Style, NothingIsLeftToDo) {
  for (const SourceFile& file : sources()) {
    if (file.is_below("tests/style")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const char* word : {"TODO", "FIXME", "XXX"}) {
        EXPECT_EQ(file.lines[i].find(word), std::string::npos) << file.at(i);
      }
    }
  }
}

}  // namespace
}  // namespace troupe
