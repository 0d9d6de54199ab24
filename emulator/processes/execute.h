// Carries a plan out, in this process or over several, in virtual time or live.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/processes/crew.h"
#include "emulator/processes/run_log.h"
#include "emulator/processes/steering.h"
#include "emulator/report/summary.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/plan.pb.h"
#include "messages/result.h"

namespace troupe {

struct ExecuteOptions {
  /// Where the journal goes; none is written without.
  std::optional<std::filesystem::path> journal;
  /// The file that people read; none is written without.
  std::optional<std::filesystem::path> log;
  LogLevel log_level = LogLevel::Info;
  /// Called about once a virtual second.
  std::function<void(SimTime)> progress;
  /// Over how many processes the hosts are spread; the result does not depend on it.
  std::uint32_t processes = 1;
  /// Where the processes come from, if there are several.
  CrewOptions crew = {};
  /// Against the wall clock instead of in virtual time: by workers always, even if it is one. Needs
  /// `journal`.
  bool live = false;
  /// Of a live run, in millionths: so much virtual time passes in a second. Nothing: as fast as API
  /// calls and watches stay in time.
  std::optional<std::int64_t> speed_ppm = 1'000'000;
  /// Windows are so many times shorter than they could be: for tests, since it changes no result.
  std::uint32_t window_divisor = 1;
  /// Set from outside, as by a signal: the run ends there. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Who is asked between two slices of the run what to do next; nobody: the run goes to its end.
  Steering* steering = nullptr;
};

struct ExecuteResult {
  nlohmann::json summary;  ///< what summary.json holds
  std::optional<Defect> defect;
  /// Every expectation passed, and every invariant held that no expectation wants broken.
  bool held = false;
  /// The journal and the log, where one could not be written whole: a disk that filled up. What the
  /// run came to is known all the same.
  std::vector<Error> unwritten;
};

/// Fails, before anything is run, where the journal or the log cannot be begun or the processes do
/// not come together.
[[nodiscard]] Result<ExecuteResult> execute(const plan::RunPlan& plan,
                                            const ExecuteOptions& options);

}  // namespace troupe
