#include "emulator/manifests/document_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/manifests/sample.pb.h"

namespace troupe::manifests {
namespace {

using test::Sample;
using ::testing::HasSubstr;

constexpr const char* kHead = "apiVersion: troupe/v1\nkind: Sample\n";

Sample read(const std::string& body) {
  Sample sample;
  EXPECT_EQ(to_string(read_document(kHead + body, "s.yaml", sample)), "");
  return sample;
}

std::string complaint(const std::string& body) {
  Sample sample;
  return to_string(read_document(kHead + body, "s.yaml", sample));
}

TEST(DocumentReader, ReadsEveryForm) {
  const Sample sample = read(R"(duration: 1h30m
timeout: never
bandwidth: 200Gbit
memory: 80GiB
rate: 3/min
share: 99%
start: 2026-01-01T00:00:05Z
replicas: 3
offset: -4
seed: 18446744073709551615
factor: 1.5e-3
enabled: true
policy: least-request
files: [a.yaml, "b.yaml"]
labels: {zone: a, app: llama, empty: }
named: {second: {title: two}, first: {title: one, parts: [{title: nested}]}}
part: {title: x}
raw: {b: [1, "1", true, null], a: 1.5}
trace: t.csv
microRate: 0.5/s
percent: 7%
policies: [round-robin, LEAST_REQUEST]
steps: [1s, 250ms]
weight: 2
)");
  EXPECT_EQ(sample.duration(), 5'400'000'000'000);
  EXPECT_EQ(sample.timeout(), "never");
  EXPECT_EQ(sample.bandwidth(), 200'000'000'000);
  EXPECT_EQ(sample.memory(), 80LL << 30);
  EXPECT_EQ(sample.rate(), 0.05);
  EXPECT_EQ(sample.share(), 0.99);
  EXPECT_EQ(sample.start(), 5'000'000'000);
  EXPECT_EQ(sample.replicas(), 3U);
  EXPECT_EQ(sample.offset(), -4);
  EXPECT_EQ(sample.seed(), 18'446'744'073'709'551'615U);
  EXPECT_EQ(sample.factor(), 1.5e-3);
  EXPECT_TRUE(sample.enabled());
  EXPECT_EQ(sample.policy(), Sample::LEAST_REQUEST);
  EXPECT_EQ(sample.files_size(), 2);
  ASSERT_EQ(sample.labels_size(), 3);
  EXPECT_EQ(sample.labels(0).key(), "app") << "sorted by key";
  EXPECT_EQ(sample.labels(1).value(), "");
  EXPECT_EQ(sample.named(0).part().parts(0).title(), "nested");
  EXPECT_EQ(sample.raw(), R"({"a":1.5,"b":[1,"1",true,null]})");
  EXPECT_EQ(sample.trace(), "t.csv");
  EXPECT_EQ(sample.micro_rate(), 500'000);
  EXPECT_EQ(sample.percent(), 7);
  EXPECT_EQ(sample.policies(1), Sample::LEAST_REQUEST);
  EXPECT_EQ(sample.steps(1), 250'000'000);
  EXPECT_EQ(sample.weight(), 2.0F);
}

TEST(DocumentReader, TakesATextThatLooksLikeANumber) {
  EXPECT_EQ(read("trace: 1.31\n").trace(), "1.31");
}

TEST(DocumentReader, RefusesUnknownKeysWithASuggestion) {
  EXPECT_EQ(complaint("duraton: 5s\n"),
            "s.yaml:3:duraton: error: unknown key, did you mean \"duration\"?\n");
  EXPECT_EQ(complaint("part: {title: x, zzz: 1}\n"),
            "s.yaml:3:part.zzz: error: unknown key, expected one of title, parts\n");
}

TEST(DocumentReader, RefusesABareNumberWhereAUnitIsMeant) {
  EXPECT_THAT(complaint("duration: 30\n"),
              HasSubstr("s.yaml:3:duration: error: \"30\" has no unit: expected a duration"));
  EXPECT_THAT(complaint("timeout: 30\n"), HasSubstr("has no unit"));
  EXPECT_THAT(complaint("bandwidth: 200\n"), HasSubstr("has no unit: expected a bandwidth"));
  EXPECT_THAT(complaint("memory: 80\n"), HasSubstr("has no unit: expected a size"));
  EXPECT_THAT(complaint("rate: 12\n"), HasSubstr("has no unit: expected a rate"));
  EXPECT_THAT(complaint("share: 0.99\n"), HasSubstr("has no unit: expected a percentage"));
  EXPECT_THAT(complaint("steps: [1s, 2]\n"), HasSubstr("s.yaml:3:steps[1]: error"));
}

TEST(DocumentReader, RefusesNegativeRates) {
  EXPECT_THAT(complaint("rate: -3/min\n"),
              HasSubstr("s.yaml:3:rate: error: \"-3/min\" is not a rate"));
}

TEST(DocumentReader, SaysWhatWasExpectedAndFound) {
  EXPECT_EQ(complaint("replicas: three\n"),
            "s.yaml:3:replicas: error: expected a whole number, found the text \"three\"\n");
  EXPECT_THAT(complaint("replicas: 1.5\n"),
              HasSubstr("expected a whole number, found the number 1.5"));
  EXPECT_THAT(complaint("replicas: \"3\"\n"),
              HasSubstr("expected a whole number, found the text \"3\""));
  EXPECT_THAT(complaint("replicas: 0\n"), HasSubstr("expected at least 1, found the number 0"));
  EXPECT_THAT(complaint("replicas: -1\n"), HasSubstr("expected at least 1"));
  EXPECT_THAT(complaint("seed: -1\n"), HasSubstr("expected a whole number of at least 0"));
  EXPECT_THAT(complaint("seed: 18446744073709551616\n"), HasSubstr("expected a whole number"));
  EXPECT_THAT(complaint("offset: 3000000000\n"), HasSubstr("expected a number of at most 31 bits"));
  EXPECT_THAT(complaint("enabled: maybe\n"),
              HasSubstr("expected true or false, found the text \"maybe\""));
  EXPECT_THAT(complaint("policy: random\n"),
              HasSubstr("expected one of round-robin, least-request"));
  EXPECT_THAT(complaint("factor: many\n"), HasSubstr("expected a number, found"));
  EXPECT_THAT(complaint("factor: .nan\n"), HasSubstr("expected a number, found"));
  EXPECT_THAT(complaint("files: a.yaml\n"), HasSubstr("expected a list, found the text"));
  EXPECT_THAT(complaint("files: [a, [b]]\n"),
              HasSubstr("s.yaml:3:files[1]: error: expected a single value, found a list"));
  EXPECT_THAT(complaint("part: x\n"), HasSubstr("expected a mapping, found the text \"x\""));
  EXPECT_THAT(complaint("labels: [a]\n"), HasSubstr("expected a mapping, found a list"));
  EXPECT_THAT(complaint("start: yesterday\n"), HasSubstr("is not a time"));
}

TEST(DocumentReader, RefusesWhatIsMissing) {
  EXPECT_EQ(complaint("part: {}\n"), "s.yaml:3:part.title: error: is required and missing\n");
  EXPECT_EQ(complaint("part: {title: }\n"),
            "s.yaml:3:part.title: error: is required and missing\n");
}

TEST(DocumentReader, RefusesTwoOfWhatExcludeEachOther) {
  EXPECT_EQ(complaint("trace: t.csv\ngenerator: {title: x}\n"),
            "s.yaml:4:generator: error: found beside trace, expected only one of them\n");
}

TEST(DocumentReader, RefusesTheWrongKindOfFile) {
  Sample sample;
  EXPECT_THAT(to_string(read_document("apiVersion: v1\nkind: Pod\n", "s.yaml", sample)),
              HasSubstr("s.yaml:1:apiVersion: error: expected troupe/v1, found the text \"v1\""));
  EXPECT_THAT(to_string(read_document("question: x\n", "s.yaml", sample)),
              HasSubstr("apiVersion: error: is required"));
}

TEST(DocumentReader, ReportsEveryMistakeAtOnce) {
  Sample sample;
  EXPECT_EQ(
      read_document(std::string(kHead) + "duration: 5\nreplicas: x\nzzz: 1\n", "s.yaml", sample)
          .size(),
      3U);
}

TEST(DocumentReader, WantsExactlyOneDocument) {
  Sample sample;
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    EXPECT_THAT(to_string(read_document(text, "s.yaml", sample)), HasSubstr("the file is empty"))
        << text;
  }
  EXPECT_THAT(to_string(read_document(std::string(kHead) + "---\n" + kHead, "s.yaml", sample)),
              HasSubstr("s.yaml:4: error: found a second document"));
  EXPECT_THAT(to_string(read_document("just text", "s.yaml", sample)),
              HasSubstr("expected a mapping, found the text"));
}

TEST(DocumentReader, ReadsPartOfALargerDocument) {
  Diagnostics diagnostics;
  const YamlRef root = parse_document("a:\n  b:\n    titel: x\n", "s.yaml", diagnostics);
  test::Part part;
  EXPECT_EQ(to_string(read_tree(*find_path(*root, "a.b"), "s.yaml", part, "a.b")),
            "s.yaml:3:a.b.titel: error: unknown key, did you mean \"title\"?\n"
            "s.yaml:3:a.b.title: error: is required and missing\n");
}

TEST(DocumentReader, SaysWhatADocumentIs) {
  Diagnostics diagnostics;
  const DocumentHeader header = header_of(*parse_document(kHead, "s.yaml", diagnostics));
  EXPECT_EQ(header.api_version, "troupe/v1");
  EXPECT_EQ(header.kind, "Sample");
  EXPECT_EQ(header_of(*parse_document("[a]", "s.yaml", diagnostics)).kind, "");
}

}  // namespace
}  // namespace troupe::manifests
