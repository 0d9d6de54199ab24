// The folder that a run leaves behind. docs/spec/run-directory.md specifies it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "messages/plan.pb.h"
#include "messages/result.h"

namespace troupe {

class RunDirectory {
 public:
  /// `wanted`, or runs/<scenario>[-<variant>]-<seed>-<time>. Fails where it holds a run already or
  /// cannot be made.
  [[nodiscard]] static Result<RunDirectory> create(
      const plan::RunPlan& plan, const std::optional<std::filesystem::path>& wanted);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path journal() const { return path_ / "journal"; }
  [[nodiscard]] std::filesystem::path log() const { return path_ / "run.log"; }
  /// summary.json, whole or absent. Fails where it cannot be written.
  [[nodiscard]] Result<void> write_summary(const nlohmann::json& summary) const;

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace troupe
