#include "emulator/traffic/trace_reader.h"

#include <chrono>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace troupe::traffic {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<TraceFile> read(const std::string& text, const TraceOptions& options = {}) {
  std::istringstream stream(text);
  return read_trace(stream, "t.csv", options);
}

// What is said of a file that must be refused, as "where: message".
std::string refusal(const std::string& text) {
  const auto file = read(text);
  return file ? "accepted" : file.error().where + ": " + file.error().message;
}

const std::string kVidur = "arrived_at,num_prefill_tokens,num_decode_tokens\n";

TEST(TraceReader, ReadsAzure2023) {
  const auto file = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
      "2023-11-16 18:15:46.6805900,374,44\r\n"
      "2023-11-16 18:15:50.9951690,396,109");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->format, "Azure");
  EXPECT_THAT(file->trace.gap_ns(), ElementsAre(0, 4'314'579'000));
  EXPECT_THAT(file->trace.prompt_tokens(), ElementsAre(374, 396));
  EXPECT_THAT(file->trace.output_tokens(), ElementsAre(44, 109));
  EXPECT_THAT(file->notes, IsEmpty());
}

TEST(TraceReader, ReadsAzure2024) {
  const auto file = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2024-05-10 00:00:00.009930+00:00,2162,5\n"
      "2024-05-10 00:00:00.017335+00:00,2399,6\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->trace.gap_ns(), ElementsAre(0, 7'405'000));
}

TEST(TraceReader, ReadsBurstGptAndLeavesFailedRequestsOut) {
  const auto file = read(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n"
      "45,ChatGPT,1087,0,1087,Conversation log\n"
      "118,GPT-4,417,276,693,API log\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->format, "BurstGPT");
  EXPECT_EQ(file->rows, 3U);
  EXPECT_THAT(file->trace.gap_ns(), ElementsAre(5'000'000'000, 113'000'000'000));
  EXPECT_THAT(file->trace.output_tokens(), ElementsAre(18, 276));
  EXPECT_THAT(file->notes, ElementsAre("1 requests without prompt or output were left out"));
}

TEST(TraceReader, ReadsVidur) {
  const auto file = read(kVidur + "0.25,100,20\n1.5,200,30\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->format, "Vidur");
  EXPECT_THAT(file->trace.gap_ns(), ElementsAre(250'000'000, 1'250'000'000));
}

TEST(TraceReader, ReadsMooncake) {
  const auto file = read(
      "{\"timestamp\": 0, \"input_length\": 1000, \"output_length\": 5, \"hash_ids\": [0, 1]}\n"
      "{\"timestamp\": 3000, \"input_length\": 1100, \"output_length\": 6, \"hash_ids\": [0, 1, "
      "2]}\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->format, "Mooncake");
  EXPECT_THAT(file->trace.gap_ns(), ElementsAre(0, 3'000'000'000));
  EXPECT_THAT(file->trace.block_count(), ElementsAre(2, 3));
  EXPECT_THAT(file->trace.blocks(), ElementsAre(0, 1, 0, 1, 2));
  EXPECT_EQ(file->trace.block_tokens(), 512U);
}

TEST(TraceReader, GoesByTheHeaderNotByThePosition) {
  const auto file = read("id,num_decode_tokens,arrived_at,\"num_prefill_tokens\"\n7,20,1,100\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->trace.gap_ns(), ElementsAre(1'000'000'000));
  EXPECT_THAT(file->trace.prompt_tokens(), ElementsAre(100));
  EXPECT_THAT(file->trace.output_tokens(), ElementsAre(20));
}

TEST(TraceReader, SkipsBlankLinesAndAByteOrderMark) {
  const auto file = read("\xEF\xBB\xBF" + kVidur + "\n1,2,3\n   \n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->rows, 1U);
}

TEST(TraceReader, SortsByTimeWithANote) {
  const auto file = read(kVidur + "5,1,1\n2,2,2\n5,3,3\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->trace.prompt_tokens(), ElementsAre(2, 1, 3));
  EXPECT_THAT(file->notes, ElementsAre("its rows were not in order of time: sorted"));
}

TEST(TraceReader, AppliesItsOptions) {
  const auto file = read(kVidur + "0,1,1\n10,2,2\n20,3,3\n30,4,4\n",
                         {.start = 10s, .limit = 2, .time_scale = 10});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->trace.prompt_tokens(), ElementsAre(2, 3));
  EXPECT_THAT(file->trace.gap_ns(), ElementsAre(0, 1'000'000'000));
  EXPECT_FALSE(read(kVidur + "0,1,1\n", {.time_scale = 0}));
  EXPECT_FALSE(read(kVidur + "0,1,1\n", {.start = 5s})) << "nothing is left";
}

TEST(TraceReader, SaysWhereALineIsBrokenAndWhatWasExpected) {
  EXPECT_EQ(refusal(kVidur + "1,2,3\n1,2\n"),
            "t.csv:3: expected 3 fields as in the header, found 2");
  EXPECT_EQ(refusal(kVidur + "\nx,2,3\n"),
            "t.csv:3: column arrived_at: expected a number, found \"x\"");
  EXPECT_EQ(refusal(kVidur + "-1,2,3\n"),
            "t.csv:2: column arrived_at: expected a time of 0 or later, found \"-1\"");
  EXPECT_EQ(
      refusal(kVidur + "1,-2,3\n"),
      "t.csv:2: column num_prefill_tokens: expected a number of tokens, 0 or more, found \"-2\"");
  EXPECT_THAT(refusal(kVidur + "1,2,3e40\n"),
              HasSubstr("t.csv:2: column num_decode_tokens: expected at most"));
  EXPECT_THAT(refusal(kVidur + "1e20,2,3\n"), HasSubstr("expected a time within ten years"));
  EXPECT_THAT(refusal(kVidur + "1,\"2,3\n"), HasSubstr("t.csv:2: a quote is not closed"));
}

TEST(TraceReader, RefusesWhatIsNoTrace) {
  EXPECT_EQ(refusal(""), "t.csv:1: expected a trace, found an empty file");
  EXPECT_EQ(refusal("\n\n"), "t.csv:2: expected a trace, found an empty file");
  EXPECT_THAT(refusal(kVidur), HasSubstr("expected requests after the header"));
  EXPECT_THAT(refusal("time,tokens\n1,2\n"),
              HasSubstr("t.csv:1: expected a header with the columns of a known trace"));
  EXPECT_THAT(refusal("num_prefill_tokens,num_decode_tokens\n1,2\n"),
              HasSubstr("expected a header"))
      << "lengths alone say nothing of when";
  EXPECT_THAT(refusal("arrived_at\n8\n"), HasSubstr("arrival times only"));
}

TEST(TraceReader, RefusesABinaryFile) {
  EXPECT_EQ(refusal(std::string("\x7f"
                                "ELF\x02\x01\x00",
                                7)),
            "t.csv:1: expected text, found a control character");
  EXPECT_THAT(refusal(kVidur + std::string("1,2\0,3\n", 7)), HasSubstr("t.csv:2: expected text"));
}

TEST(TraceReader, RefusesALineWithoutEnd) {
  EXPECT_THAT(refusal(std::string(3 << 20, 'x')), HasSubstr("expected a line of at most 1 MiB"));
}

TEST(TraceReader, SaysWhatIsWrongWithAMooncakeLine) {
  const std::string good =
      R"({"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [0, 1]})";
  EXPECT_EQ(refusal(good + "\n{\"timestamp\": 1"), "t.csv:2: expected a JSON object on the line");
  EXPECT_EQ(refusal(good + "\n{\"timestamp\": 1}"), "t.csv:2: expected the key \"input_length\"");
  EXPECT_THAT(refusal(R"({"timestamp": "a", "input_length": 1, "output_length": 1})"),
              HasSubstr("\"timestamp\""));
  EXPECT_THAT(refusal(R"({"timestamp": -5, "input_length": 1, "output_length": 1})"),
              HasSubstr("0 or later"));
  EXPECT_THAT(
      refusal(
          R"({"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [0, 1, 2]})"),
      HasSubstr("expected at most 2 blocks"));
  EXPECT_THAT(
      refusal(R"({"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [-1]})"),
      HasSubstr("\"hash_ids\": expected a whole number"));
}

TEST(TraceReader, SaysThatAFileCannotBeRead) {
  const auto missing = read_trace(std::filesystem::path("/no/such/trace.csv"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "/no/such/trace.csv");
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
  EXPECT_THAT(read_trace(std::filesystem::path("/")).error().message, HasSubstr("found a folder"));
}

TEST(Arrivals, AreReadFromAnyFormat) {
  std::istringstream arrivals_only("arrived_at\n8\n21.5\n");
  EXPECT_THAT(read_arrivals(arrivals_only, "a.csv").value(), ElementsAre(8s, 21500ms));
  std::istringstream vidur(kVidur + "3,1,1\n");
  EXPECT_THAT(read_arrivals(vidur, "v.csv").value(), ElementsAre(3s));
}

TEST(Arrivals, OfTheToyAreTheShippedOnes) {
  const auto arrivals =
      read_arrivals(std::filesystem::path(TROUPE_SOURCE_DIR "/scenarios/lessons/toy_arrivals.csv"));
  ASSERT_TRUE(arrivals) << arrivals.error().message;
  ASSERT_EQ(arrivals->size(), 743U);
  EXPECT_EQ(arrivals->front(), 8s);
  EXPECT_EQ(arrivals->back(), 3588s);
}

}  // namespace
}  // namespace troupe::traffic
