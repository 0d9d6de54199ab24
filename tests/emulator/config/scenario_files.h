// A scenario in a folder of its own, written by the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/config/scenario_loader.h"
#include "messages/envelope.h"

namespace troupe::config {

class ScenarioFiles : public testing::Test {
 protected:
  ScenarioFiles()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("troupe-config-") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    topology("nodes:\n  - {name: a, cpu: \"8\", memory: 32Gi}\n");
    // The catalogues are looked for above the scenario.
    std::filesystem::create_directory_symlink(
        std::filesystem::path(TROUPE_SOURCE_DIR) / "topologies", folder_ / "topologies");
  }
  ~ScenarioFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  void topology(const std::string& text) const {
    write("topology.yaml", "apiVersion: troupe/v1\nkind: Topology\n" + text);
  }
  void scenario(const std::string& text) const {
    write("s.yaml",
          "apiVersion: troupe/v1\nkind: Scenario\nquestion: Does it hold?\nduration: 1m\n"
          "topology: topology.yaml\n" +
              text);
  }
  [[nodiscard]] LoadedScenario load(const LoadOptions& options = {}) const {
    return load_scenario(folder_ / "s.yaml", options);
  }
  /// The plan of a scenario that must be sound.
  [[nodiscard]] plan::RunPlan plan(const LoadOptions& options = {}) const {
    LoadedScenario loaded = load(options);
    EXPECT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
    return std::move(loaded.plan);
  }
  /// The configuration of a host: its attachment of that type.
  template <class Config>
  static Config config_of(const plan::RunPlan& plan, const std::string& path) {
    for (const plan::HostPlan& host : plan.hosts()) {
      if (host.path() != path) continue;
      for (const auto& attachment : host.attachments()) {
        const Result<Payload> payload = from_envelope(attachment);
        if (payload && payload->as<Config>() != nullptr) return *payload->as<Config>();
      }
    }
    ADD_FAILURE() << "no host " << path << " with such a configuration";
    return {};
  }
  static std::vector<std::string> hosts_of(const plan::RunPlan& plan) {
    std::vector<std::string> paths;
    for (const plan::HostPlan& host : plan.hosts()) paths.push_back(host.path());
    return paths;
  }

  std::filesystem::path folder_;
};

}  // namespace troupe::config
