#include "emulator/traffic/trace_select.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe::traffic {
namespace {

constexpr double kTimeScaleMin = 1e-6;
constexpr double kTimeScaleMax = 1e6;

// Ten years a million times slower would not fit: the end of time is as late as it gets.
Duration scaled(Duration time, double scale) {
  if (scale == 1) return time;
  const double ns = std::round(static_cast<double>(time.count()) / scale);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max() / 2;
  return ns < static_cast<double>(kMost) ? Duration{static_cast<std::int64_t>(ns)}
                                         : Duration{kMost};
}

}  // namespace

Result<void> check(const TraceOptions& options) {
  if (options.start < Duration{0}) return fail("expected a start of 0 or later");
  if (options.length && *options.length <= Duration{0}) return fail("expected a length above 0");
  if (options.limit == 0) return fail("expected a limit of at least 1 request");
  const bool in_range = options.time_scale >= kTimeScaleMin && options.time_scale <= kTimeScaleMax;
  if (!in_range) return fail("expected a time scale from 0.000001 to 1000000");
  return {};
}

std::vector<TraceRow> select_rows(std::vector<TraceRow> rows, const TraceOptions& options) {
  std::vector<TraceRow> chosen;
  for (TraceRow& row : rows) {
    if (row.at < options.start) continue;
    row.at -= options.start;
    if (options.length && row.at >= *options.length) break;
    if (options.limit && chosen.size() == *options.limit) break;
    row.at = scaled(row.at, options.time_scale);
    chosen.push_back(std::move(row));
  }
  return chosen;
}

load::Trace pack(const std::vector<TraceRow>& rows, std::uint32_t block_tokens) {
  const bool has_blocks = std::any_of(rows.begin(), rows.end(),
                                      [](const TraceRow& row) { return !row.blocks.empty(); });
  load::Trace trace;
  if (has_blocks) trace.set_block_tokens(block_tokens);
  Duration last{0};
  for (const TraceRow& row : rows) {
    trace.add_gap_ns((row.at - last).count());
    last = row.at;
    trace.add_prompt_tokens(row.prompt_tokens);
    trace.add_output_tokens(row.output_tokens);
    if (!has_blocks) continue;
    trace.add_block_count(static_cast<std::uint32_t>(row.blocks.size()));
    for (const std::uint64_t block : row.blocks) trace.add_blocks(block);
  }
  return trace;
}

}  // namespace troupe::traffic
