#include "emulator/manifests/text_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/manifest_reader.h"
#include "emulator/manifests/text_check.h"

namespace troupe::manifests {
namespace {

/// A folder of the test's own, gone with it.
class TextFiles : public ::testing::Test {
 protected:
  TextFiles() { std::filesystem::create_directories(folder_); }
  ~TextFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("troupe_text_files_") +
       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(TextFiles, AreReadWhole) {
  EXPECT_EQ(read_text_file(write("a.yaml", "a: 1\r\n")).value(), "a: 1\r\n");
  EXPECT_EQ(read_text_file(write("empty.yaml", "")).value(), "");
}

TEST_F(TextFiles, AreRefusedWithAWord) {
  EXPECT_EQ(read_text_file((folder_ / "none.yaml").string()).error().message, "no such file");
  EXPECT_EQ(read_text_file(folder_.string()).error().message, "found a folder, expected a file");
  EXPECT_EQ(read_text_file("/dev/null").error().message,
            "found a device or a pipe, expected a file");
}

TEST_F(TextFiles, AreRefusedUnreadWhereTheyAreHuge) {
  const std::string path = write("huge.yaml", "a: 1\n");
  std::filesystem::resize_file(path, 100UL << 20);  // sparse: takes no space
  EXPECT_EQ(read_text_file(path).error().message,
            "found 100 MiB, expected at most 64 MiB: split the file");
}

TEST_F(TextFiles, ThatAreMissingAreDiagnosticsLikeAnyOther) {
  const std::string path = (folder_ / "none.yaml").string();
  EXPECT_EQ(to_string(load_manifests(path).diagnostics), path + ": error: no such file\n");
}

TEST_F(TextFiles, ThatAreEmptyAreRefused) {
  const std::string path = write("empty.yaml", "");
  EXPECT_EQ(to_string(load_manifests(path).diagnostics),
            path + ": error: found no object, expected at least one Kubernetes object\n");
}

}  // namespace
}  // namespace troupe::manifests
