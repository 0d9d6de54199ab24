// The run as people read it: run.log in the run folder, a line for each phase, and with level
// `Debug` a line for each fact. Programs read the journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "emulator/report/summary.h"
#include "emulator/runtime/observer.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/plan.pb.h"
#include "messages/result.h"

namespace spdlog {
class logger;
}

namespace troupe {

enum class LogLevel : std::uint8_t { Info, Debug };

class RunLog final : public Observer {
 public:
  /// Fails where `file` cannot be written.
  [[nodiscard]] static Result<RunLog> create(const std::filesystem::path& file, LogLevel level);

  void begin(const plan::RunPlan& plan);
  void on_fact(const FactRecord& record) override;
  /// The last line. Fails where a line could not be written.
  [[nodiscard]] Result<void> end(const RunFacts& run, const std::optional<Defect>& defect);

 private:
  RunLog(std::filesystem::path file, std::shared_ptr<spdlog::logger> logger);

  std::filesystem::path file_;
  std::shared_ptr<spdlog::logger> logger_;
  std::shared_ptr<std::string> failure_;  ///< of the first line that could not be written
};

}  // namespace troupe
