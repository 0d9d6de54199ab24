// Commands that act do what they say, and a replay of the journal does it again.
#include <fstream>

#include <gmock/gmock.h>

#include "tests/emulator/console/attached_run.h"

namespace troupe::console {
namespace {

using testing::HasSubstr;

// Where a command is given, what it is, and what is seen ten virtual seconds later.
struct Act {
  const char* name;
  const char* line;
  const char* look;
  const char* seen;
};

class EveryAct : public testing::TestWithParam<Act> {};

TEST_P(EveryAct, HasItsEffectAndReplaysToTheSameDigest) {
  AttachedRun run;
  run.tell("step 15s");
  run.tell(GetParam().line);
  run.tell("step 10s");
  EXPECT_THAT(run.tell(GetParam().look), HasSubstr(GetParam().seen));
  const std::string digest = digest_of(run.finish());
  EXPECT_NE(digest, plain_digest());
  EXPECT_EQ(run.replayed_digest(), digest);
}

INSTANTIATE_TEST_SUITE_P(
    Console, EveryAct,
    testing::Values(
        Act{"Scale", "scale deploy llama-8b --replicas 3", "describe deploy llama-8b", "to 3"},
        Act{"Cordon", "cordon h100-0", "get nodes", "SchedulingDisabled"},
        Act{"Drain", "drain h100-0 --force --ignore-daemonsets", "get nodes", "SchedulingDisabled"},
        Act{"Delete", "delete hpa llama-8b", "get hpa", "No resources"},
        Act{"Crash", "inject crash host=node/h100-0 restartAfter=60s", "get hosts", "Down"},
        Act{"Gpu", "inject gpu {node: h100-0, gpu: 0, xid: 79}", "get gpus", "Faulty"},
        Act{"Later", "inject gpu node=h100-0 gpu=0 in=4s", "get faults", "19s"},
        Act{"AtARate", "inject kubeletHang target.node=h100-0 every=2s duration=1s after=1",
            "get faults", "kubeletHang    node/h100-0"},
        Act{"OnACondition",
            "inject '{when: {fact: RequestEnded, repeat: true}, after: 3, "
            "containerKill: {}, target: {pod: \"llama-8b-*\"}}'",
            "get faults", "containerKill   pod default/llama-8b"},
        Act{"Target", "inject '{probeFailure: {}, target: {namespace: default, mode: all}}'",
            "get faults", "probeFailure"},
        Act{"Probability", "inject apiServerLatency latency=2s probability=50% after=2",
            "get faults", "apiServerLatency"},
        Act{"Delay", "inject networkDelay from=node/* to=apiserver/* latency=800ms", "get faults",
            "networkDelay   node/* -> apiserver/*"},
        Act{"Loss", "inject networkLoss to=node/h100-0 loss=30% duration=5s", "get faults",
            "Healed"},
        Act{"Reorder", "inject networkReorder from=controller/* reorder=50% latency=300ms in=1s",
            "get faults", "networkReorder"},
        Act{"Partition", "inject networkPartition from=node/h100-0 to=apiserver/* direction=to",
            "get faults", "networkPartition   node/h100-0 -> apiserver/*"},
        Act{"PartitionAtARate",
            "inject networkPartition from=node/h100-0 to=apiserver/* every=3s duration=1s",
            "get faults", "networkPartition   node/h100-0 <-> apiserver/*"},
        Act{"PartitionOnACondition",
            "inject networkPartition from=node/h100-0 to=apiserver/* "
            "when.fact=RequestEnded after=2 duration=3s",
            "get faults", "networkPartition   network"}),
    [](const auto& one) { return one.param.name; });

TEST(Acting, AppliesAFile) {
  AttachedRun run;
  const std::filesystem::path file = run.folder() / "pod.yaml";
  std::ofstream(file) << "apiVersion: v1\nkind: Pod\nmetadata: {name: by-hand}\n"
                         "spec: {containers: [{name: main, image: pause:1}]}\n";
  run.tell("step 5s");
  EXPECT_THAT(run.tell("apply -f " + file.string()), HasSubstr("applied"));
  run.tell("step 20s");
  EXPECT_THAT(run.tell("get pods"), HasSubstr("by-hand"));
  const std::string digest = digest_of(run.finish());
  EXPECT_EQ(run.replayed_digest(), digest);
}

TEST(Acting, WhileTheRunGoesOnWaitsForTheApiServersAnswer) {
  AttachedRun run({.paused = false, .speed = 30});
  run.tell("step 5s");
  run.tell("resume");
  EXPECT_THAT(run.tell("scale deploy llama-8b --replicas 4"),
              HasSubstr("Deployment/default/llama-8b scaled"));
  run.tell("speed max");
  const std::string digest = digest_of(run.finish());
  EXPECT_EQ(run.replayed_digest(), digest);
}

TEST(Acting, AFaultIsHealed) {
  AttachedRun run;
  run.tell("step 15s");
  run.tell("inject gpu node=h100-0 gpu=0 xid=79");
  run.tell("step 2s");
  EXPECT_THAT(run.tell("get faults"), HasSubstr("Injected"));
  run.tell("heal gpu node=h100-0 gpu=0");
  run.tell("step 5s");
  EXPECT_THAT(run.tell("get faults"), HasSubstr("Healed"));
  EXPECT_EQ(run.ask("heal 99").outcome(), control::Reply::REFUSED);
  const std::string digest = digest_of(run.finish());
  EXPECT_EQ(run.replayed_digest(), digest);
}

// While a node is cut off it hears nothing; what was sent meanwhile comes once it is healed.
TEST(Acting, APartitionThatIsHealedLosesNoWatchEvent) {
  AttachedRun run;
  run.tell("step 15s");
  run.tell("inject networkPartition from=node/h100-0 to=apiserver/*");
  run.tell("step 1s");
  run.tell("cordon h100-0");
  run.tell("delete deploy llama-8b");
  run.tell("step 6s");
  EXPECT_THAT(run.tell("get pods -o wide"), HasSubstr("h100-0"));
  EXPECT_THAT(run.tell("heal 1"), HasSubstr("networkPartition node/h100-0 <-> apiserver/* healed"));
  run.tell("step 15s");
  EXPECT_THAT(run.tell("get faults"), HasSubstr("Healed"));
  EXPECT_THAT(run.tell("get pods -o wide"), testing::Not(HasSubstr("h100-0")));
  const std::string digest = digest_of(run.finish());
  EXPECT_EQ(run.replayed_digest(), digest);
}

TEST(Acting, ByChanceNobodyIsHit) {
  AttachedRun run;
  run.tell("step 5s");
  EXPECT_THAT(run.tell("inject crash host=node/h100-0 probability=0%"), HasSubstr("by chance"));
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(Acting, WhatCannotBeIsRefusedAndLeavesTheDigestAlone) {
  AttachedRun run;
  run.tell("step 5s");
  for (const char* line :
       {"inject crash", "inject sandwich", "inject gpu node=h100-0 gpu=77", "inject gpu node",
        "inject gpu node=h100-0 gpu=0 at=1s", "inject gpu node=h100-0 gpu=0 in=soon",
        "inject gpu node=h100-0 gpu=0 in=2s at=20s", "inject gpu node=h100-0 gpu=0 in=900h",
        "inject gpu node=h100-0 gpu=0 at=20s after=2", "inject networkPartition",
        "inject networkPartition from=controller/nobody", "inject kubeletHang when.fact=Nothing",
        "scale deploy llama-8b", "cordon", "heal"}) {
    EXPECT_EQ(run.ask(line).outcome(), control::Reply::BAD_USAGE) << line;
  }
  for (const char* line : {"scale deploy nobody --replicas 1", "delete pod nobody", "cordon nobody",
                           "drain nobody", "scale node h100-0 --replicas 1", "rewind 1h"}) {
    EXPECT_EQ(run.ask(line).outcome(), control::Reply::REFUSED) << line;
  }
  EXPECT_EQ(digest_of(run.finish()), plain_digest());
}

TEST(Rewind, KeepsWhatWasDoneBeforeAndDropsTheRest) {
  std::string once;
  {
    AttachedRun run;
    run.tell("step 15s");
    run.tell("scale deploy llama-8b --replicas 3");
    once = digest_of(run.finish());
  }
  AttachedRun run;
  run.tell("step 15s");
  run.tell("scale deploy llama-8b --replicas 3");
  run.tell("step 10s");
  run.tell("delete deploy llama-8b");
  run.tell("step 10s");
  EXPECT_THAT(run.tell("rewind 20s"), HasSubstr("paused at 20s"));
  EXPECT_THAT(run.tell("describe deploy llama-8b"), HasSubstr("to 3"));
  const std::string digest = digest_of(run.finish());
  EXPECT_EQ(digest, once);
  EXPECT_EQ(run.replayed_digest(), digest);
}

TEST(Save, WritesAScenarioThatLoads) {
  AttachedRun run;
  run.tell("step 15s");
  run.tell("inject crash host=node/h100-0 restartAfter=5s");
  run.tell("scale deploy llama-8b --replicas 3");
  run.tell("cordon h100-1");
  run.tell("inject networkDelay to=node/h100-1 latency=200ms in=5s duration=10s probability=50%");
  run.tell("inject kubeletHang when.fact=PodBound target.node=h100-1 duration=5s");
  run.tell("inject gpu node=h100-1 gpu=0 xid=31 rate=20/min");
  const std::filesystem::path file = run.folder() / "saved.yaml";
  const control::Reply reply = run.ask("save scenario " + file.string());
  ASSERT_EQ(reply.outcome(), control::Reply::OK) << reply.text();
  ASSERT_EQ(reply.files_size(), 1);
  std::ofstream(file) << reply.files(0).text();
  const config::LoadedScenario saved = config::load_scenario(file);
  EXPECT_TRUE(saved.ok()) << manifests::to_string(saved.diagnostics);
  EXPECT_GT(saved.plan.faults_size(), load().faults_size() + 1);
  ASSERT_EQ(saved.plan.links_size(), load().links_size() + 1);
  EXPECT_EQ(saved.plan.links(saved.plan.links_size() - 1).begin_ns(0), 20'000'000'000);
  EXPECT_THAT(saved.plan.watched_facts(), testing::Contains("PodBound"));
}

TEST(Quit, EndsTheRunWhereItStands) {
  AttachedRun run;
  run.tell("step 5s");
  const std::uint64_t id = *run.client().send({"quit"}, false);
  EXPECT_TRUE(run.client().receive(id, std::chrono::seconds(30)).has_value());
}

}  // namespace
}  // namespace troupe::console
