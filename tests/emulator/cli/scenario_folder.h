// A folder with a small topology, for tests that run the program on scenarios of their own.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace troupe::test {

class ScenarioFolder : public testing::Test {
 protected:
  ScenarioFolder()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("troupe-cli-") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write(
        "topology.yaml",
        "apiVersion: troupe/v1\nkind: Topology\nnodes:\n  - {name: a, cpu: \"8\", memory: 32Gi}\n");
  }
  ~ScenarioFolder() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  /// A sound scenario with `more` at its end.
  static std::string scenario(const std::string& more) {
    return "apiVersion: troupe/v1\nkind: Scenario\nquestion: Does it hold?\nduration: 10s\n"
           "topology: topology.yaml\n" +
           more;
  }

  std::filesystem::path folder_;
};

}  // namespace troupe::test
