// Cases as text in a file of their own, for tests that read and run them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "emulator/conformance/case_loader.h"
#include "emulator/conformance/run_case.h"

namespace troupe::conformance::testing {

namespace fs = std::filesystem;

/// A file that goes when the test ends.
class CaseFile {
 public:
  explicit CaseFile(const std::string& text) : path_(fs::path(::testing::TempDir()) / name()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~CaseFile() { fs::remove(path_); }
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  // Tests run at the same time, each in a process of its own.
  static std::string name() {
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("troupe-case-") + test.test_suite_name() + "-" + test.name();
    std::replace(name.begin(), name.end(), '/', '-');
    return name + ".yaml";
  }

  fs::path path_;
};

/// A document with that body.
inline std::string case_text(const std::string& body) {
  return "apiVersion: troupe/v1\nkind: ConformanceCase\ncase: T1\n" + body;
}

/// Of a sound case, what comes out otherwise than it says, a line each; else what is wrong with it.
inline std::string outcome_of(const std::string& body) {
  const CaseFile file(case_text(body));
  const LoadedCases loaded = load_cases(file.path());
  if (!loaded.ok()) return manifests::to_string(loaded.diagnostics);
  std::string text;
  for (const Difference& one : run_case(loaded.cases.at(0))) text += to_string(one) + "\n";
  return text;
}

}  // namespace troupe::conformance::testing
