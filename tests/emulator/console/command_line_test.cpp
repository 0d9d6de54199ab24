// Lines into words, words into arguments and options.
#include "emulator/console/command_line.h"

#include <gtest/gtest.h>

#include "emulator/console/answer.h"
#include "emulator/console/resources.h"

namespace troupe::console {
namespace {

using Words = std::vector<std::string>;

TEST(SplitLine, QuotesAndBracesHoldWordsTogether) {
  EXPECT_EQ(*split_line("get pods -n 'my ns'"), (Words{"get", "pods", "-n", "my ns"}));
  EXPECT_EQ(*split_line("inject gpu {node: gpu-a, gpu: 0}"),
            (Words{"inject", "gpu", "{node: gpu-a, gpu: 0}"}));
  EXPECT_EQ(*split_line("inject {crash: {host: \"node/a b\"}}"),
            (Words{"inject", "{crash: {host: \"node/a b\"}}"}));
  EXPECT_EQ(*split_line("  "), Words{});
}

TEST(SplitLine, WhatIsNotClosedIsRefused) {
  EXPECT_FALSE(split_line("get 'pods"));
  EXPECT_FALSE(split_line("inject {crash: "));
  EXPECT_FALSE(split_line("inject }"));
}

TEST(ParseWords, OptionsAreReadAsKubectlReadsThem) {
  const std::vector<OptionSpec> known = {{'n', "namespace"}, {'A', "all", false}, {0, "replicas"}};
  for (const Words& words : {Words{"pods", "-n", "a"}, Words{"-na", "pods"},
                             Words{"pods", "--namespace=a"}, Words{"--namespace", "a", "pods"}}) {
    const Result<CommandLine> line = parse_words(words, known);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->arguments, Words{"pods"});
    EXPECT_EQ(line->get("namespace"), "a");
  }
  EXPECT_TRUE(parse_words({"-A"}, known)->has("all"));
  EXPECT_FALSE(parse_words({"-x"}, known));
  EXPECT_FALSE(parse_words({"--replicas"}, known));
  EXPECT_FALSE(parse_words({"--all=yes"}, known));
}

TEST(Resources, AnyNameThatKubectlTakesIsUnderstood) {
  for (const char* word : {"po", "pod", "pods", "Pod"})
    EXPECT_EQ(find_resource(word)->name, "pods");
  EXPECT_EQ(find_resource("deployments.apps")->name, "deployments");
  EXPECT_EQ(find_resource("gpus")->kind, nullptr);
  EXPECT_EQ(find_resource("process")->name, "processes");
  EXPECT_FALSE(find_resource("sandwich"));
}

TEST(AgeText, RoundsAsKubectlDoes) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  EXPECT_EQ(age_text(119 * kSecond), "119s");
  EXPECT_EQ(age_text(120 * kSecond), "2m");
  EXPECT_EQ(age_text(200 * kSecond), "3m20s");
  EXPECT_EQ(age_text(11 * 60 * kSecond), "11m");
  EXPECT_EQ(age_text(200 * 60 * kSecond), "3h20m");
  EXPECT_EQ(age_text(50 * 3600 * kSecond), "2d2h");
  EXPECT_EQ(seconds_text(12'500'000'000), "12.5s");
  EXPECT_EQ(seconds_text(0), "0s");
}

}  // namespace
}  // namespace troupe::console
