// What an engine counts of itself: the source of vLLM's /metrics and of the run's report.
#pragma once

#include <array>
#include <cstdint>

#include "actors/serving/gap_histogram.h"

namespace troupe::serving {

// Bucket bounds of vLLM's histograms, in nanoseconds (vllm/v1/metrics/loggers.py).
inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::array<std::int64_t, 22> kTtftBounds = {
    1 * kMs,      5 * kMs,       10 * kMs,      20 * kMs,       40 * kMs,     60 * kMs,
    80 * kMs,     100 * kMs,     250 * kMs,     500 * kMs,      750 * kMs,    1'000 * kMs,
    2'500 * kMs,  5'000 * kMs,   7'500 * kMs,   10'000 * kMs,   20'000 * kMs, 40'000 * kMs,
    80'000 * kMs, 160'000 * kMs, 640'000 * kMs, 2'560'000 * kMs};
inline constexpr std::array<std::int64_t, 19> kGapBounds = {
    10 * kMs,    25 * kMs,     50 * kMs,     75 * kMs,     100 * kMs,   150 * kMs,   200 * kMs,
    300 * kMs,   400 * kMs,    500 * kMs,    750 * kMs,    1'000 * kMs, 2'500 * kMs, 5'000 * kMs,
    7'500 * kMs, 10'000 * kMs, 20'000 * kMs, 40'000 * kMs, 80'000 * kMs};
inline constexpr std::array<std::int64_t, 21> kRequestBounds = {
    300 * kMs,     500 * kMs,       800 * kMs,      1'000 * kMs,   1'500 * kMs,   2'000 * kMs,
    2'500 * kMs,   5'000 * kMs,     10'000 * kMs,   15'000 * kMs,  20'000 * kMs,  30'000 * kMs,
    40'000 * kMs,  50'000 * kMs,    60'000 * kMs,   120'000 * kMs, 240'000 * kMs, 480'000 * kMs,
    960'000 * kMs, 1'920'000 * kMs, 7'680'000 * kMs};

struct EngineStats {
  std::uint64_t steps = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t generation_tokens = 0;
  std::uint64_t finished_stop = 0;
  std::uint64_t finished_length = 0;
  std::uint64_t finished_abort = 0;
  TimeHistogram ttft{kTtftBounds};
  TimeHistogram inter_token{kGapBounds};
  TimeHistogram e2e{kRequestBounds};
  TimeHistogram queue{kRequestBounds};
  /// Every gap between two output tokens of a request since the last take.
  GapHistogram gaps;

  void add_gaps(const GapSeries& series) {
    inter_token.add(series);
    gaps.add(series);
  }
};

}  // namespace troupe::serving
