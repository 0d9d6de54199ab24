// Which part of a trace is used, and how fast it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/traffic/trace_row.h"
#include "messages/load.pb.h"
#include "messages/result.h"

namespace troupe::traffic {

struct TraceOptions {
  Duration start{0};  ///< what arrives before it is left out, and it becomes the trace's zero
  std::optional<Duration> length;  ///< what arrives this long after `start` or later is left out
  std::optional<std::uint64_t> limit;  ///< at most so many requests, the first ones
  double time_scale = 1;               ///< 2: twice as fast; 0.000001 to 1,000,000
};

/// What is wrong with the options, as a failure.
[[nodiscard]] Result<void> check(const TraceOptions& options);

/// The rows that the options choose, at their new times. `rows` are in order of time.
[[nodiscard]] std::vector<TraceRow> select_rows(std::vector<TraceRow> rows,
                                                const TraceOptions& options);

/// The rows as a load's trace.
[[nodiscard]] load::Trace pack(const std::vector<TraceRow>& rows, std::uint32_t block_tokens);

}  // namespace troupe::traffic
