#include <chrono>
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "emulator/traffic/trace_reader.h"
#include "tests/emulator/traffic/shared_data.h"

namespace troupe::traffic {
namespace {

using namespace std::chrono_literals;

std::int64_t span_ns(const load::Trace& trace) {
  return std::accumulate(trace.gap_ns().begin(), trace.gap_ns().end(), std::int64_t{0});
}

// Rows and span as the data set's README has them.
TEST(RealTrace, AzureConversationIsComplete) {
  TROUPE_REQUIRE_DATA(path, "traces/AzureLLMInferenceTrace_conv.csv");
  const auto file = read_trace(*path);
  ASSERT_TRUE(file) << file.error().where << ": " << file.error().message;
  EXPECT_EQ(file->format, "Azure");
  EXPECT_EQ(file->trace.gap_ns_size(), 19'366);
  EXPECT_NEAR(static_cast<double>(span_ns(file->trace)) / 1e9, 3501.72, 0.005);
  EXPECT_TRUE(file->notes.empty());
}

TEST(RealTrace, MooncakeHasItsPrefixes) {
  TROUPE_REQUIRE_DATA(path, "traces/mooncake_trace_1000.jsonl");
  const auto file = read_trace(*path);
  ASSERT_TRUE(file) << file.error().where << ": " << file.error().message;
  EXPECT_EQ(file->trace.gap_ns_size(), 1000);
  EXPECT_NEAR(static_cast<double>(span_ns(file->trace)) / 1e9, 177, 0.5);
  EXPECT_EQ(file->trace.block_count_size(), 1000);
  // Each prompt has one block for each 512 tokens begun.
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(file->trace.block_count(i), (file->trace.prompt_tokens(i) + 511) / 512) << i;
  }
}

TEST(RealTrace, TinyMooncakeStartsWithABurst) {
  TROUPE_REQUIRE_DATA(path, "traces/mooncake_tiny.jsonl");
  const auto file = read_trace(*path);
  ASSERT_TRUE(file) << file.error().where << ": " << file.error().message;
  EXPECT_EQ(file->trace.gap_ns_size(), 16);
  EXPECT_EQ(std::count(file->trace.gap_ns().begin(), file->trace.gap_ns().end(), 0), 15);
}

}  // namespace
}  // namespace troupe::traffic
