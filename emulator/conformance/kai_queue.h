// Queues of a case as KAI's core has them. Amounts of a case are GPUs; -1 is unlimited, as are CPU
// and memory.
#pragma once

#include <cmath>
#include <string>

#include "actors/kai/queue_info.h"
#include "emulator/config/problems.h"

namespace troupe::conformance {

/// A cluster with more is a slip.
inline constexpr double kGpusMax = 1'000'000;

struct QueueRow {
  std::string name;
  std::string parent = {};  ///< empty: at the top
  double quota = kai::kUnlimited;
  double limit = kai::kUnlimited;
  double weight = 1;
  int priority = 100;
};

[[nodiscard]] inline std::int64_t milli_gpus(double gpus) {
  const auto unit = static_cast<double>(kai::unit_of(kai::Resource::Gpu));
  return gpus < 0 ? kai::kUnlimited : std::llround(gpus * unit);
}

/// `age`: how many queues are older.
[[nodiscard]] inline kai::QueueSettings queue_settings(const QueueRow& row, std::size_t age) {
  kai::QueueSettings settings;
  settings.name = row.name;
  settings.parent = row.parent;
  settings.priority = row.priority;
  settings.created = kTimeZero + std::chrono::seconds(age);
  for (auto& bounds : settings.bounds) bounds = {kai::kUnlimited, kai::kUnlimited, milli_gpus(1)};
  settings.bounds[static_cast<std::size_t>(kai::Resource::Gpu)] = {
      milli_gpus(row.quota), milli_gpus(row.limit), milli_gpus(row.weight)};
  return settings;
}

inline void check_gpus(const std::string& path, double gpus, config::Problems& problems) {
  if (!(gpus <= kGpusMax)) problems.add(path, "expected at most 1,000,000");
  if (gpus < 0 && gpus != kai::kUnlimited) {
    problems.add(path, "expected -1 for unlimited, or an amount");
  }
}

}  // namespace troupe::conformance
