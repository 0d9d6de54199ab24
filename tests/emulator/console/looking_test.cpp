// Commands that look show the cluster, and change nothing.
#include "tests/emulator/console/attached_run.h"

#include <gmock/gmock.h>

#include "emulator/console/command_table.h"
#include "emulator/console/resources.h"

namespace troupe::console {
namespace {

using testing::HasSubstr;

TEST(Looking, LeavesTheDigestAlone) {
  AttachedRun run;
  for (const char* step : {"step 12s", "step 5", "step 15s"}) {
    run.tell(step);
    for (const std::string& resource : resource_names()) {
      for (const char* form : {"", " -A -o wide", " -A -o json", " -A -o yaml"}) {
        run.tell("get " + resource + form);
      }
    }
    for (const char* line : {"describe deploy llama-8b", "explain deploy llama-8b",
                             "explain hpa llama-8b", "describe node h100-0", "explain node h100-0",
                             "explain svc llama-8b", "top nodes", "top pods -A", "top gpus",
                             "status", "help", "help inject", "pause", "speed 1000", "speed max"}) {
      run.tell(line);
      EXPECT_EQ(run.ask(line, true).outcome(), control::Reply::OK) << line;
    }
  }
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(Looking, WhileTheRunGoesOnLeavesTheDigestAlone) {
  AttachedRun run({.paused = false, .speed = 60});
  for (int i = 0; i < 20; ++i) run.tell("get pods -A -o wide");
  run.tell("speed max");
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(Looking, ShowsColumnsAsKubectlDoes) {
  AttachedRun run;
  run.tell("step 20s");
  EXPECT_THAT(run.tell("get nodes"), testing::StartsWith("NAME"));
  const std::string pods = run.tell("get pods");
  EXPECT_THAT(pods, testing::MatchesRegex("NAME +READY   STATUS +RESTARTS   AGE\n(.|\n)*"));
  EXPECT_THAT(pods, HasSubstr("llama-8b-"));
  EXPECT_THAT(run.tell("get deploy llama-8b"), HasSubstr("2/4"));
  EXPECT_THAT(run.tell("get requests"), HasSubstr("default/llama-8b"));
  EXPECT_THAT(run.tell("get gpus"), HasSubstr("h100-0/0"));
  EXPECT_THAT(run.tell("get processes"), HasSubstr("paused"));
  EXPECT_THAT(run.tell("get links"), HasSubstr("dataPlane"));
  EXPECT_THAT(run.tell("describe deploy llama-8b"), HasSubstr("Events:"));
  const nlohmann::json list = nlohmann::json::parse(run.ask("get pods", true).text());
  EXPECT_EQ(list["kind"], "List");
  EXPECT_EQ(list["items"][0]["kind"], "Pod");
}

TEST(Looking, ExplainNamesTheLayerThatHolds) {
  AttachedRun run;
  run.tell("step 3s");
  const nlohmann::json held =
      nlohmann::json::parse(run.ask("explain deploy llama-8b", true).text());
  EXPECT_EQ(held["object"], "Deployment/default/llama-8b");
  EXPECT_NE(held["heldBy"], "nobody");
  EXPECT_FALSE(held["because"].empty());
}

TEST(Looking, WhatIsNotThereIsRefusedAndWhatIsNoCommandIsBadUsage) {
  AttachedRun run;
  EXPECT_EQ(run.ask("get pod nobody").outcome(), control::Reply::REFUSED);
  EXPECT_EQ(run.ask("describe pod nobody").outcome(), control::Reply::REFUSED);
  EXPECT_EQ(run.ask("explain pod nobody").outcome(), control::Reply::REFUSED);
  for (const char* line : {"get", "get sandwiches", "get pods -x", "describe pod", "top", "dance",
                           "step 0", "step x", "speed 0", "watch", "rewind", "save"}) {
    EXPECT_EQ(run.ask(line).outcome(), control::Reply::BAD_USAGE) << line;
  }
}

TEST(Looking, EveryCommandOfHelpIsKnown) {
  AttachedRun run;
  for (const CommandText& command : command_texts()) {
    if (std::string(command.name) == "quit") continue;
    const control::Reply reply = run.ask(std::string(command.name) + " --no-such-option");
    EXPECT_THAT(reply.text(), testing::Not(HasSubstr("no command \"" + std::string(command.name))));
  }
}

TEST(Looking, ANameIsCompleted) {
  AttachedRun run;
  run.tell("step 5s");
  EXPECT_THAT(run.client().complete({"expl"}), testing::ElementsAre("explain"));
  EXPECT_THAT(run.client().complete({"get", "nodec"}), testing::ElementsAre("nodeclaims"));
  EXPECT_THAT(run.client().complete({"describe", "node", "h100-"}), testing::Contains("h100-0"));
  EXPECT_THAT(run.client().complete({"inject", "cra"}), testing::ElementsAre("crash"));
}

}  // namespace
}  // namespace troupe::console
