// Sync cases: what of a `given` counts, what happens between rounds, and what is held against it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/conformance/case_text.h"

namespace troupe::conformance {
namespace {

using ::testing::HasSubstr;
using testing::outcome_of;

constexpr const char* kQueue = "  queues: [{name: q, quota: 8}]\n";

std::string given(const std::string& nodes, const std::string& jobs,
                  const std::string& queues = kQueue) {
  return "given:\n  nodes: " + nodes + "\n" + queues + "  jobs: " + jobs + "\n";
}
std::string expect(const std::string& expectations, const std::string& sync = "{}",
                   const std::string& more = "") {
  return "mode: {sync: " + sync + "}\nexpect: " + expectations + "\n" + more;
}

TEST(KaiRounds, WhatIsBoundRunsInTheNextRound) {
  const std::string cluster = given("[{name: n, gpus: 1}]", "[{name: a, queue: q, gpus: 1}]");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, state: Running, node: n}]")), "");
  EXPECT_EQ(
      outcome_of(cluster + expect("[{job: a, state: Binding, node: n}]", "{states: session}")), "");
}

TEST(KaiRounds, RoomThatIsVacatedIsTakenInTheSecondRound) {
  const std::string cluster = given("[{name: n, gpus: 1}]",
                                    "[{name: old, queue: q, class: build, gpus: 1, tasks: [{state: "
                                    "Releasing, node: n}]}, {name: new, queue: q, gpus: 1}]",
                                    "  queues: [{name: q, quota: 8, limit: 1}]\n");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: new, state: Pipelined}]", "{states: session}")),
            "");
}

TEST(KaiRounds, AStableRoundMayChangeNothing) {
  // What was evicted is pending after the first round and takes its room back in the second.
  const std::string cluster =
      given("[{name: n, gpus: 1}]",
            "[{name: a, queue: q, gpus: 1, tasks: [{state: Releasing, node: n}]}]");
  const std::string at_rest = "[{job: a, state: Running}]";
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, state: Pending}]", "{stableRounds: 2}")),
            "round 2: task 0 of a, at rest: expected Pending, observed Binding on n\n");
  EXPECT_EQ(outcome_of(cluster + expect(at_rest, "{rounds: 2, stableRounds: 2}")), "");
}

TEST(KaiRounds, LimitsTheCallsOfEachRound) {
  const std::string cluster =
      given("[{name: n, gpus: 4}]", "[{name: a, queue: q, gpus: 1, min: 1, count: 3}]");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, state: Running}]", "{}", "max: {binds: 3}\n")),
            "");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, state: Running}]", "{}", "max: {binds: 2}\n")),
            "round 1: binds: expected at most 2, observed 3\n");
}

TEST(KaiRounds, CountsTheTasksThatMatch) {
  const std::string cluster =
      given("[{name: n, count: 2, gpus: 1}]", "[{name: a, queue: q, gpus: 1, min: 1, count: 3}]");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, state: Running, count: 2}, {job: a, node: n-0, "
                                        "count: 1}, {job: a, state: Pending, count: 1}]")),
            "");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, state: Running, count: 3}]")),
            "expect[0]: tasks of a that are Running: expected 3, observed 2\n");
}

TEST(KaiRounds, SaysWhichTaskIsElsewhere) {
  const std::string cluster =
      given("[{name: n, gpus: 1}, {name: m}]", "[{name: a, queue: q, gpus: 1}]");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, state: Running, node: m}]")),
            "expect[0]: task 0 of a: expected Running on m, observed Running on n\n");
}

TEST(KaiRounds, ComparesTheReason) {
  const std::string cluster = given("[{name: n, gpus: 1}]", "[{name: a, queue: nowhere, gpus: 1}]");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: a, reason: QueueDoesNotExist, message: \"'nowhere' "
                                        "does not exist\"}]")),
            "");
  EXPECT_THAT(outcome_of(cluster + expect("[{job: a, reason: OverLimit}]")),
              HasSubstr("reason of a: expected OverLimit, observed QueueDoesNotExist"));
}

TEST(KaiRounds, HonoursWhatNodesHave) {
  EXPECT_EQ(outcome_of(given("[{name: n, cpu: 1500m, memory: 8G}]",
                             "[{name: a, queue: q, cpu: 1}, {name: b, queue: q, cpu: 1}]") +
                       expect("[{job: a, state: Running}, {job: b, state: Pending}]")),
            "");
  EXPECT_EQ(outcome_of(given("[{name: n, memory: 3G}]",
                             "[{name: a, queue: q, memory: 2G}, {name: b, queue: q, memory: 2G}]") +
                       expect("[{job: a, state: Running}, {job: b, state: Pending}]")),
            "");
  EXPECT_EQ(outcome_of(given("[{name: n, pods: 1}]", "[{name: a, queue: q, min: 1, count: 2}]") +
                       expect("[{job: a, state: Running, count: 1}]")),
            "");
}

TEST(KaiRounds, HonoursLabelsAndTaints) {
  const std::string nodes =
      "[{name: tainted, gpus: 1, taints: [{key: k, value: v, effect: NoSchedule}]}, "
      "{name: plain, gpus: 1}, {name: racked, gpus: 1, labels: {rack: r1}}]";
  EXPECT_EQ(
      outcome_of(
          given(nodes,
                "[{name: a, queue: q, gpus: 1, nodeSelector: {rack: r1}}, "
                "{name: b, queue: q, gpus: 1}, {name: c, queue: q, gpus: 1}, "
                "{name: d, queue: q, gpus: 1, tolerations: [{key: k, operator: Exists}]}]") +
          expect("[{job: a, node: racked}, {job: b, node: plain}, {job: c, state: "
                 "Pending, message: \"untolerated taint {k: v}\"}, {job: d, node: tainted}]")),
      "");
}

TEST(KaiRounds, HonoursClassesPrioritiesAndGates) {
  EXPECT_EQ(outcome_of(given("[{name: n, gpus: 1}]",
                             "[{name: late, queue: q, gpus: 1}, "
                             "{name: high, queue: q, class: inference, gpus: 1}]") +
                       expect("[{job: high, state: Running}, {job: late, state: Pending}]")),
            "");
  EXPECT_EQ(
      outcome_of(given("[{name: n, gpus: 1}]",
                       "[{name: a, queue: q, gpus: 1, min: 1, tasks: [{}, {priority: 5}]}]") +
                 expect("[{job: a, task: 1, state: Running}, {job: a, task: 0, state: Pending}]")),
      "");
  EXPECT_EQ(outcome_of(given("[{name: n, gpus: 1}]",
                             "[{name: a, queue: q, gpus: 1, tasks: [{state: Gated}]}]") +
                       expect("[{job: a, state: Gated}]")),
            "");
}

TEST(KaiRounds, APriorityMayStandForAClass) {
  EXPECT_EQ(outcome_of(given("[{name: n, gpus: 1}]",
                             "[{name: low, queue: q, gpus: 1}, {name: high, queue: q, gpus: 1, "
                             "priority: 60}]") +
                       expect("[{job: high, state: Running}, {job: low, state: Pending}]")),
            "");
  const std::string queue = "  queues: [{name: q, quota: 0}]\n";
  EXPECT_EQ(outcome_of(given("[{name: n, gpus: 1}]",
                             "[{name: a, queue: q, gpus: 1, preemptible: false}]", queue) +
                       expect("[{job: a, state: Pending, reason: NonPreemptibleOverQuota}]")),
            "");
}

TEST(KaiRounds, HonoursTheLevelsOfQueues) {
  EXPECT_THAT(
      outcome_of(given("[{name: n, gpus: 4}]",
                       "[{name: a, queue: team1, gpus: 1}, {name: b, queue: team2, gpus: 1}]",
                       "  departments: [{name: org, quota: 4}]\n  queues:\n"
                       "    - {name: dept, parent: org, quota: 1, limit: 1}\n"
                       "    - {name: team1, parent: dept, quota: 1}\n"
                       "    - {name: team2, parent: dept, quota: 1}\n") +
                 expect("[{job: a, state: Running}, {job: b, state: Pending, message: dept quota "
                        "has reached}]")),
      "");
}

TEST(KaiRounds, ServesAQueueOfHigherPriorityFirst) {
  EXPECT_EQ(
      outcome_of(
          given("[{name: n, gpus: 1}]",
                "[{name: a, queue: low, gpus: 1}, {name: b, queue: high, gpus: 1}]",
                "  queues: [{name: low, quota: 1}, {name: high, quota: 1, priority: 200}]\n") +
          expect("[{job: a, state: Pending}, {job: b, state: Running}]")),
      "");
}

TEST(KaiRounds, TheGraceOfAStaleGangIsThatOfTheCase) {
  const std::string cluster =
      given("[{name: n, gpus: 2}]",
            "[{name: gang, queue: q, gpus: 1, tasks: [{state: Running, node: "
            "n}, {}]}, {name: other, queue: q, gpus: 1, tasks: [{state: "
            "Running, node: n}]}]",
            "  queues: [{name: q, quota: 1}]\n");
  EXPECT_EQ(
      outcome_of(cluster + expect("[{job: gang, state: Pending}, {job: other, state: Running}]",
                                  "{rounds: 2, stableRounds: 5, defaultStalenessGracePeriod: 0s}")),
      "");
  EXPECT_EQ(outcome_of(cluster + expect("[{job: gang, task: 0, state: Running}]", "{rounds: 2}")),
            "");
}

}  // namespace
}  // namespace troupe::conformance
