#include "emulator/traffic/trace_select.h"

#include <chrono>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace troupe::traffic {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

std::vector<TraceRow> rows_at(const std::vector<Duration>& times) {
  std::vector<TraceRow> rows;
  for (const Duration time : times)
    rows.push_back({.at = time, .prompt_tokens = 5, .output_tokens = 7});
  return rows;
}

std::vector<Duration> times_of(const std::vector<TraceRow>& rows) {
  std::vector<Duration> times;
  for (const TraceRow& row : rows) times.push_back(row.at);
  return times;
}

TEST(TraceSelect, TakesAllByDefault) {
  EXPECT_THAT(times_of(select_rows(rows_at({1s, 2s, 9s}), {})), ElementsAre(1s, 2s, 9s));
}

TEST(TraceSelect, StartBecomesZeroAndTheEndIsOutside) {
  EXPECT_THAT(times_of(select_rows(rows_at({1s, 2s, 3s, 4s}), {.start = 2s, .length = 2s})),
              ElementsAre(0s, 1s));
}

TEST(TraceSelect, LimitsTheNumber) {
  EXPECT_THAT(times_of(select_rows(rows_at({1s, 2s, 3s}), {.limit = 2})), ElementsAre(1s, 2s));
}

TEST(TraceSelect, ScalesTimeAfterChoosing) {
  EXPECT_THAT(times_of(select_rows(rows_at({2s, 4s, 8s}), {.length = 5s, .time_scale = 2})),
              ElementsAre(1s, 2s));
  EXPECT_THAT(times_of(select_rows(rows_at({2s}), {.time_scale = 0.5})), ElementsAre(4s));
}

TEST(TraceSelect, RefusesSenselessOptions) {
  EXPECT_TRUE(check({}));
  EXPECT_FALSE(check({.start = -1s}));
  EXPECT_FALSE(check({.length = 0s}));
  EXPECT_FALSE(check({.limit = 0}));
  EXPECT_FALSE(check({.time_scale = 0}));
  EXPECT_FALSE(check({.time_scale = -1}));
  EXPECT_FALSE(check({.time_scale = 1e7}));
}

TEST(TracePack, KeepsGapsAndLengths) {
  const load::Trace trace = pack(rows_at({1s, 3s}), 512);
  EXPECT_THAT(trace.gap_ns(), ElementsAre(1'000'000'000, 2'000'000'000));
  EXPECT_THAT(trace.prompt_tokens(), ElementsAre(5, 5));
  EXPECT_THAT(trace.output_tokens(), ElementsAre(7, 7));
  EXPECT_EQ(trace.block_count_size(), 0);
  EXPECT_EQ(trace.block_tokens(), 0U);
}

TEST(TracePack, KeepsBlocks) {
  std::vector<TraceRow> rows = rows_at({0s, 0s});
  rows[1].blocks = {4, 5};
  const load::Trace trace = pack(rows, 512);
  EXPECT_THAT(trace.block_count(), ElementsAre(0, 2));
  EXPECT_THAT(trace.blocks(), ElementsAre(4, 5));
  EXPECT_EQ(trace.block_tokens(), 512U);
}

}  // namespace
}  // namespace troupe::traffic
