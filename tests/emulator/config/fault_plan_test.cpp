// What the faults of a scenario resolve to, and which are refused.
#include <set>

#include <gmock/gmock.h>

#include "emulator/config/fault_kinds.h"
#include "messages/address.h"
#include "messages/director.pb.h"
#include "messages/fault.pb.h"
#include "messages/hosts.pb.h"
#include "tests/emulator/config/scenario_files.h"

namespace troupe::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000'000;

class FaultPlanTest : public ScenarioFiles {
 protected:
  FaultPlanTest() {
    topology(
        "nodes:\n  - {name: a, count: 3, cpu: \"8\", memory: 32Gi, gpus: 2, gpuModel: H100}\n");
  }
  plan::RunPlan plan_of(const std::string& fault) {
    scenario("faults:\n  - " + fault + "\n");
    return plan();
  }
  director::Plan orders_of(const std::string& fault) {
    return config_of<director::Plan>(plan_of(fault), "controller/director/0");
  }
  /// What `check` says of it, with its line.
  std::string refusal_of(const std::string& fault) {
    scenario("faults:\n  - " + fault + "\n");
    const LoadedScenario loaded = load();
    if (loaded.ok()) return "accepted";
    const auto& first = loaded.diagnostics.at(0);
    return std::to_string(first.line) + ": " + first.path + ": " + first.message;
  }
};

TEST_F(FaultPlanTest, EveryKindOfTheTableIsAFieldOfTheSchemaAndTheOtherWayRound) {
  std::set<std::string> keys;
  for (const FaultKind& kind : all_fault_kinds()) {
    const std::string key(kind.key);
    EXPECT_TRUE(keys.insert(key).second) << key;
    EXPECT_NE(Fault::descriptor()->FindFieldByCamelcaseName(key), nullptr) << key;
    EXPECT_FALSE(kind.sentence.empty()) << key;
    EXPECT_EQ(kind.make == nullptr, kind.scope == FaultScope::Network) << key;
  }
  const std::set<std::string> frame = {"at",     "when",        "every",    "rate", "start",
                                       "target", "probability", "duration", "after"};
  for (int i = 0; i < Fault::descriptor()->field_count(); ++i) {
    const std::string name = Fault::descriptor()->field(i)->json_name();
    EXPECT_TRUE(frame.contains(name) || keys.contains(name)) << name;
  }
}

TEST_F(FaultPlanTest, AKnownVictimIsAnEntryAtItsMoment) {
  const plan::RunPlan plan =
      plan_of("{at: 5s, kubeletHang: {}, target: {node: a-1}, duration: 10s}");
  ASSERT_EQ(plan.faults_size(), 2);
  EXPECT_EQ(plan.faults(0).target(), "node/a-1");
  EXPECT_EQ(plan.faults(0).at_ns(), 5 * kSecond);
  EXPECT_FALSE(plan.faults(0).heals());
  EXPECT_EQ(plan.faults(1).at_ns(), 15 * kSecond);
  EXPECT_TRUE(plan.faults(1).heals());
  EXPECT_THAT(hosts_of(plan), testing::Not(testing::Contains("controller/director/0")));
}

TEST_F(FaultPlanTest, OfAGlobOneIsChosenUnlessItSaysHowMany) {
  EXPECT_EQ(plan_of("{at: 5s, nodeReboot: {}, target: {node: \"a-*\"}}").faults_size(), 1);
  EXPECT_EQ(plan_of("{at: 5s, nodeReboot: {}, target: {node: \"a-*\", mode: all}}").faults_size(),
            3);
  EXPECT_EQ(plan_of("{at: 5s, nodeReboot: {}, target: {node: \"a-*\", mode: fixed, count: 2}}")
                .faults_size(),
            2);
}

TEST_F(FaultPlanTest, AFaultOfAGpuIsOfEachOneUnlessItSaysWhich) {
  EXPECT_EQ(plan_of("{at: 5s, gpuThrottle: {clock: 50%}, target: {node: a-0}}").faults_size(), 2);
  const plan::RunPlan plan =
      plan_of("{at: 5s, gpuThrottle: {gpu: 1, clock: 50%}, target: {node: a-0}}");
  ASSERT_EQ(plan.faults_size(), 1);
  EXPECT_EQ(plan.faults(0).target(), "node/a-0/gpu/1");
}

TEST_F(FaultPlanTest, TimesAtARateAreDrawnFromTheSeedAndNothingElse) {
  const std::string fault = "{every: 5s, nodeReboot: {}, target: {node: a-0}}";
  const plan::RunPlan first = plan_of(fault);
  EXPECT_GT(first.faults_size(), 4);
  EXPECT_LT(first.faults_size(), 25);
  const plan::RunPlan again = plan_of(fault);
  ASSERT_EQ(again.faults_size(), first.faults_size());
  for (int i = 0; i < first.faults_size(); ++i) {
    EXPECT_EQ(again.faults(i).at_ns(), first.faults(i).at_ns());
    if (i == 0) continue;
    EXPECT_GT(first.faults(i).at_ns(), first.faults(i - 1).at_ns());
  }
  LoadOptions other;
  other.seed = 2;
  EXPECT_NE(plan(other).faults(0).at_ns(), first.faults(0).at_ns());
}

TEST_F(FaultPlanTest, ARateIsAMeanInterval) {
  EXPECT_EQ(plan_of("{rate: 12/min, nodeReboot: {}, target: {node: a-0}}").faults_size(),
            plan_of("{every: 5s, nodeReboot: {}, target: {node: a-0}}").faults_size());
}

TEST_F(FaultPlanTest, TheFirstOccurrencesOfARatePassHarmlessly) {
  const plan::RunPlan all = plan_of("{every: 5s, nodeReboot: {}, target: {node: a-0}}");
  const plan::RunPlan rest = plan_of("{every: 5s, nodeReboot: {}, target: {node: a-0}, after: 2}");
  EXPECT_EQ(rest.faults_size(), all.faults_size() - 2);
  EXPECT_EQ(rest.faults(0).at_ns(), all.faults(2).at_ns());
}

TEST_F(FaultPlanTest, AProbabilityIsOfEachOccurrence) {
  const int all = plan_of("{every: 1s, nodeReboot: {}, target: {node: a-0}}").faults_size();
  const int some =
      plan_of("{every: 1s, nodeReboot: {}, target: {node: a-0}, probability: 50%}").faults_size();
  EXPECT_GT(some, 0);
  EXPECT_LT(some, all);
}

TEST_F(FaultPlanTest, WhatComesAgainBeforeItHealsHealsAfterTheLastTime) {
  const plan::RunPlan plan =
      plan_of("{every: 5s, kubeletHang: {}, target: {node: a-0}, duration: 10m}");
  int heals = 0;
  for (const plan::FaultPlan& entry : plan.faults()) heals += entry.heals() ? 1 : 0;
  EXPECT_GT(plan.faults_size(), 4);
  EXPECT_EQ(heals, 1);
}

TEST_F(FaultPlanTest, APodIsForTheDirectorToFind) {
  const director::Plan work = orders_of(
      "{at: 5s, containerKill: {exitCode: 3}, target: {namespace: prod, labels: {app: web}}}");
  ASSERT_EQ(work.faults_size(), 1);
  EXPECT_EQ(work.faults(0).target().kind(), fault::Target::PODS);
  EXPECT_EQ(work.faults(0).target().namespace_(), "prod");
  EXPECT_EQ(work.faults(0).target().mode(), fault::Target::ONE);
  EXPECT_THAT(work.faults(0).at_ns(), ElementsAre(5 * kSecond));
}

TEST_F(FaultPlanTest, AConditionIsForTheDirectorAndNamesTheFactThatItIsTold) {
  scenario(
      "faults:\n  - {when: {fact: PodBound, match: {name: web}, delay: 2s}, kubeletHang: {}, "
      "after: 3}\n");
  const plan::RunPlan plan = this->plan();
  EXPECT_THAT(plan.watched_facts(), ElementsAre("PodBound"));
  const auto work = config_of<director::Plan>(plan, "controller/director/0");
  EXPECT_EQ(work.faults(0).when().nth(), 3u);
  EXPECT_EQ(work.faults(0).when().delay_ns(), 2 * kSecond);
  EXPECT_TRUE(work.faults(0).target().of_fact());
}

TEST_F(FaultPlanTest, AFaultOfTheNetworkIsARuleBetweenHosts) {
  const plan::RunPlan plan =
      plan_of("{at: 5s, networkPartition: {from: \"node/*\", to: apiserver/0}, duration: 10s}");
  ASSERT_EQ(plan.links_size(), 1);
  EXPECT_THAT(plan.links(0).from(), SizeIs(3));
  EXPECT_THAT(plan.links(0).to(), SizeIs(1));
  EXPECT_TRUE(plan.links(0).both_ways());
  EXPECT_THAT(plan.links(0).begin_ns(), ElementsAre(5 * kSecond));
  EXPECT_THAT(plan.links(0).end_ns(), ElementsAre(15 * kSecond));
}

TEST_F(FaultPlanTest, DirectionIsChaosMeshs) {
  const auto rule = [this](const std::string& direction) {
    return plan_of("{at: 5s, networkPartition: {from: node/a-0, to: apiserver/0, direction: " +
                   direction + "}}")
        .links(0);
  };
  EXPECT_THAT(rule("to").from(), ElementsAre(address_of("node/a-0").host));
  EXPECT_FALSE(rule("to").both_ways());
  EXPECT_THAT(rule("from").from(), ElementsAre(address_of("apiserver/0").host));
}

TEST_F(FaultPlanTest, WhatIsWrongIsRefusedWithLineAndWhatWasExpected) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{kubeletHang: {}, target: {node: a-0}}", "exactly one of `at`, `when`, `every`, `rate`"},
      {"{at: 1s, every: 2s, kubeletHang: {}, target: {node: a-0}}", "exactly one of `at`"},
      {"{at: 1s}", "exactly one of `crash`"},
      {"{at: 1s, kubeletHang: {}, nodeReboot: {}}", "exactly one of `crash`"},
      {"{at: 1s, kubeletHang: {}}", "expected whom"},
      {"{at: 1s, kubeletHang: {}, target: {node: z}}", "no host 'node/z'"},
      {"{at: 1s, kubeletHang: {}, target: {pod: z}}", "no such target"},
      {"{at: 1s, kubeletHang: {}, target: {node: a-0, mode: fixed}}", "`count` together"},
      {"{at: 1s, kubeletHang: {}, target: {node: a-0}, probability: 120%}", "at most 100%"},
      {"{at: 1s, nodeReboot: {}, target: {node: a-0}, duration: 2s}", "is over at once"},
      {"{at: 1s, nodeReboot: {}, target: {node: a-0}, after: 2}", "happens once"},
      {"{at: 1s, gpu: {node: a-0, gpu: 2}}", "has 2 GPUs, counted from 0"},
      {"{at: 1s, gpuThrottle: {clock: 0%}, target: {node: a-0}}", "at least 0.1%"},
      {"{at: 1s, crash: {host: node/a-0, restartAfter: soon}}", "duration"},
      {"{at: 1s, insufficientCapacity: {}}", "a topology with a cloud"},
      {"{at: 1s, apiServerLatency: {}}", "how late"},
      {"{at: 1s, apiServerUnavailable: {kinds: [Pot]}}", "no kind 'Pot'"},
      {"{at: 1s, apiServerUnavailable: {latency: 2s}}", "no such field"},
      {"{at: 1s, clockSkew: {host: node/a-0, timeOffset: late}}", "a duration with a sign"},
      {"{at: 1s, networkDelay: {latency: 1s}}", "between whom"},
      {"{at: 1s, networkDelay: {to: node/a-0, latency: 1s, jitter: 2s}}", "a delay only adds"},
      {"{at: 1s, networkPartition: {to: node/a-0}, probability: 5%}", "expected networkLoss"},
      {"{at: 1s, networkPartition: {to: node/z}}", "no host 'node/z'"},
      {"{at: 1s, networkLoss: {to: node/a-0, loss: 5%}, target: {node: a-0}}", "`from` and `to`"},
      {"{at: 1s, networkDuplicate: {duplicate: 5%}}", "a topology with a cloud"},
      {"{when: {fact: PodVanished}, kubeletHang: {}}", "unknown fact"},
      {"{when: {fact: HostCrashed}, kubeletHang: {}}", "not told"},
      {"{when: {fact: PodBound, match: {colour: red}}, kubeletHang: {}}", "no field 'colour'"},
      {"{when: {fact: PodCreated}, kubeletHang: {}}", "does not say whom"},
      {"{every: 1us, nodeReboot: {}, target: {node: a-0}}", "at least 1ms"},
      {"{at: 1s, containerKill: {reason: OOMKilled, exitCode: 1}, target: {pod: a}}", "137"},
      {"{at: 1s, leaderElectionOverlap: {}}", "expected whom"},
      {"{at: 1s, metricsGap: {}}", "no host 'telemetry/0'"},
      {"{at: 1s, loadSpike: {traffic: chat, factor: 3}}", "no host 'load/chat'"}};
  for (const auto& [fault, expected] : cases) {
    EXPECT_THAT(refusal_of(fault), HasSubstr(expected)) << fault;
    EXPECT_THAT(refusal_of(fault), testing::StartsWith("7")) << fault;
  }
}

// ---- our own processes ----

TEST_F(FaultPlanTest, AProcessCanBeNamedInALiveRunAlone) {
  const std::string fault = "{at: 5s, processPause: {}, target: {process: 1}, duration: 3s}";
  EXPECT_THAT(refusal_of(fault), HasSubstr("7: faults[0].processPause: a process can be befallen"));
  LoadOptions live;
  live.live = true;
  const plan::RunPlan plan = this->plan(live);
  EXPECT_TRUE(plan.live());
  EXPECT_EQ(plan.faults_size(), 0) << "no worker is told";
  ASSERT_EQ(plan.process_faults_size(), 2);
  EXPECT_EQ(plan.process_faults(0).target(), "process/1");
  EXPECT_EQ(plan.process_faults(1).at_ns(), 8 * kSecond);
  EXPECT_TRUE(plan.process_faults(1).heals());
}

TEST_F(FaultPlanTest, InVirtualTimeTheNamedHostsOfAProcessCrashAtOneMoment) {
  const plan::RunPlan plan = plan_of("{at: 5s, processKill: {hosts: [\"node/*\", apiserver/0]}}");
  ASSERT_EQ(plan.faults_size(), 4);
  for (const plan::FaultPlan& fault : plan.faults()) {
    EXPECT_EQ(fault.kind(), "processKill");
    EXPECT_EQ(fault.at_ns(), 5 * kSecond);
    EXPECT_TRUE(fault.restarts());
  }
  const plan::RunPlan paused =
      plan_of("{at: 5s, processPause: {hosts: [node/a-0]}, duration: 20s}");
  ASSERT_EQ(paused.faults_size(), 1);
  EXPECT_EQ(paused.faults(0).restart_after_ns(), 20 * kSecond);
}

TEST_F(FaultPlanTest, TheHostsOfAProcessFallTogetherOrNotAtAll) {
  const plan::RunPlan plan =
      plan_of("{every: 1s, processKill: {hosts: [\"node/*\"]}, probability: 50%}");
  EXPECT_GT(plan.faults_size(), 0);
  EXPECT_EQ(plan.faults_size() % 3, 0);
}

TEST_F(FaultPlanTest, AFaultOfAProcessNamesHostsOrAProcess) {
  EXPECT_THAT(refusal_of("{at: 5s, processKill: {}}"), HasSubstr("expected whom"));
  EXPECT_THAT(refusal_of("{at: 5s, diskFill: {hosts: [node/a-0]}, target: {process: 1}}"),
              HasSubstr("expected whom"));
  EXPECT_THAT(refusal_of("{at: 5s, processKill: {hosts: [node/z]}}"),
              HasSubstr("no host 'node/z'"));
  EXPECT_THAT(refusal_of("{at: 5s, processKill: {hosts: [node/a-0]}, duration: 1s}"),
              HasSubstr("is over at once"));
  EXPECT_THAT(refusal_of("{at: 5s, nodeCrash: {}, target: {process: 1}}"),
              HasSubstr("this fault has no such target"));
}

// ---- leader election ----

class ElectionPlanTest : public FaultPlanTest {
 protected:
  std::string refusal_with(const std::string& controllers, const std::string& fault) {
    scenario("controllers: " + controllers + "\nfaults:\n  - " + fault + "\n");
    const LoadedScenario loaded = load();
    return loaded.ok() ? "accepted" : loaded.diagnostics.at(0).message;
  }
};

TEST_F(ElectionPlanTest, ReplicasAreHostsThatElectALeaderAndOneAloneDoesNot) {
  scenario("controllers: {kubeScheduler: {replicas: 3}, kai: {replicas: 2}}\n");
  const plan::RunPlan plan = this->plan();
  EXPECT_THAT(hosts_of(plan),
              testing::IsSupersetOf({"controller/kube-scheduler/2", "controller/kai-scheduler/1"}));
  const auto scheduler = config_of<hosts::KubeSchedulerConfig>(plan, "controller/kube-scheduler/2");
  EXPECT_EQ(scheduler.election().lease(), "kube-scheduler");
  EXPECT_TRUE(scheduler.election().release_on_cancel());
  const auto kai = config_of<hosts::LeaderElection>(plan, "controller/kai-scheduler/0");
  EXPECT_EQ(kai.lease(), "kai-scheduler");
  EXPECT_EQ(kai.retry_period_ns(), 5 * kSecond);
  EXPECT_FALSE(kai.release_on_cancel());
  scenario("");
  EXPECT_FALSE(config_of<hosts::KubeSchedulerConfig>(this->plan(), "controller/kube-scheduler/0")
                   .has_election());
}

TEST_F(ElectionPlanTest, AnOverlapIsOfTheLeaderWhoeverThatIsOrOfTheReplicaThatIsNamed) {
  scenario(
      "controllers: {kubeScheduler: {replicas: 2}}\nfaults:\n"
      "  - {at: 5s, leaderElectionOverlap: {controller: kube-scheduler}, duration: 40s}\n"
      "  - {at: 5s, leaderElectionOverlap: {}, target: {host: controller/kube-scheduler/1}}\n");
  const plan::RunPlan plan = this->plan();
  const auto orders = config_of<director::Plan>(plan, "controller/director/0");
  ASSERT_EQ(orders.faults_size(), 1);
  EXPECT_EQ(orders.faults(0).target().kind(), fault::Target::LEADER);
  EXPECT_EQ(orders.faults(0).target().name(), "kube-scheduler");
  ASSERT_EQ(plan.faults_size(), 1);
  EXPECT_EQ(plan.faults(0).target(), "controller/kube-scheduler/1");
}

TEST_F(ElectionPlanTest, WhatNeedsAnElectionIsRefusedWithoutOne) {
  EXPECT_THAT(refusal_with("{kubeScheduler: {replicas: 1}}",
                           "{at: 5s, leaderElectionOverlap: {controller: kube-scheduler}}"),
              HasSubstr("elects no leader"));
  EXPECT_THAT(refusal_with("{}", "{at: 5s, crash: {host: node/a-0, graceful: true}}"),
              HasSubstr("expected a controller"));
  EXPECT_THAT(refusal_with("{kubeScheduler: {replicas: 2, leaderElection: {leaseDuration: 10s}}}",
                           "{at: 5s, crash: {host: controller/kube-scheduler/0}}"),
              HasSubstr("leaseDuration above renewDeadline"));
  EXPECT_THAT(refusal_with("{kubeScheduler: {replicas: 2, leaderElection: {retryPeriod: 9s}}}",
                           "{at: 5s, crash: {host: controller/kube-scheduler/0}}"),
              HasSubstr("1.2 times retryPeriod"));
}

}  // namespace
}  // namespace troupe::config
