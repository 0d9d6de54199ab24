// KAI's own table rows for quotas, order and gangs (kai_cases K01 to K12), on the pure core.
#include <gtest/gtest.h>

#include "tests/actors/kai/kai_cluster.h"

namespace troupe::kai {
namespace {

constexpr StatusSet kPending = statuses(TaskStatus::Pending);
constexpr StatusSet kBinding = statuses(TaskStatus::Binding);
constexpr StatusSet kRunning = statuses(TaskStatus::Running);

JobRow train(const std::string& name, const std::string& queue, int gpus, int tasks = 1) {
  return {.name = name, .queue = queue, .tasks = std::vector<TaskRow>(tasks, {.gpus = gpus})};
}
JobRow build(const std::string& name, const std::string& queue, int gpus, int tasks = 1) {
  JobRow row = train(name, queue, gpus, tasks);
  row.of_class = Class::Build;
  return row;
}

TEST(K01, AQueueLimitIsHard) {
  KaiCluster cluster;
  cluster.node("node0", 4).department("d", 2);
  cluster.queue({.name = "queue0", .quota = 2, .weight = 2, .limit = 2, .parent = "d"});
  cluster.job(train("job0", "queue0", 2)).job(train("job1", "queue0", 2));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job0"), TaskStatus::Binding);
  EXPECT_EQ(cluster.node_of("job0"), "node0");
  EXPECT_EQ(cluster.status("job1"), TaskStatus::Pending);
  EXPECT_EQ(cluster.reason("job1"), "OverLimit");
  EXPECT_EQ(
      cluster.message("job1"),
      "queue0 quota has reached the allowable limit of GPUs. Limit is 2 GPUs, currently 2 GPUs "
      "allocated and workload requested 2 GPUs");
}

TEST(K02, NonPreemptibleWorkCannotLeaveItsQuota) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "queue0", .quota = 1}).queue({.name = "queue1", .quota = 1});
  cluster.job(build("job0", "queue0", 2));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job0"), TaskStatus::Pending);
  EXPECT_EQ(cluster.reason("job0"), "NonPreemptibleOverQuota");
  EXPECT_EQ(
      cluster.message("job0"),
      "Non-preemptible workload is over quota. Workload requested 2 GPUs, but queue0 quota is 1 "
      "GPUs, while 0 GPUs are already allocated for non-preemptible pods. Use a preemptible "
      "workload to go over quota.");
}

TEST(K02, TheSameWorkRunsWhereItCanBePreempted) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "queue0", .quota = 1}).queue({.name = "queue1", .quota = 1});
  cluster.job(train("job0", "queue0", 2));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job0"), TaskStatus::Binding);
}

TEST(K03, AllocateSharesByAlternationAndNotByAFairShareCap) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "queue0", .quota = 1}).queue({.name = "queue1", .quota = 1});
  for (const std::string queue : {"queue0", "queue1"}) {
    for (int i = 0; i < 3; ++i) cluster.job(train(queue + "-job" + std::to_string(i), queue, 1));
  }
  cluster.rounds(1);
  for (const std::string queue : {"queue0", "queue1"}) {
    EXPECT_EQ(cluster.status(queue + "-job0"), TaskStatus::Binding);
    EXPECT_EQ(cluster.status(queue + "-job1"), TaskStatus::Binding);
    EXPECT_EQ(cluster.status(queue + "-job2"), TaskStatus::Pending);
  }
}

TEST(K04, WhereMoreQuotaIsPromisedThanThereIsTheOlderQueueWins) {
  KaiCluster cluster;
  cluster.node("node0", 2);
  for (const std::string queue : {"queue0", "queue1", "queue2", "queue3"}) {
    cluster.queue({.name = queue, .quota = 1});
  }
  int n = 0;
  for (const std::string queue : {"queue0", "queue1", "queue2", "queue3", "queue0", "queue1"}) {
    cluster.job(train("job" + std::to_string(n++), queue, 1));
  }
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job0"), TaskStatus::Binding);
  EXPECT_EQ(cluster.status("job1"), TaskStatus::Binding);
  for (const std::string job : {"job2", "job3", "job4", "job5"}) {
    EXPECT_EQ(cluster.status(job), TaskStatus::Pending) << job;
  }
}

TEST(K07, QueuesMayBeThreeLevelsDeep) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "org", .quota = 4, .parent = "-"});
  cluster.queue({.name = "dept1", .quota = 2, .parent = "org"});
  cluster.queue({.name = "team1", .quota = 1, .parent = "dept1"});
  cluster.queue({.name = "team2", .quota = 1, .parent = "dept1"});
  cluster.job(train("job1", "team1", 1)).job(train("job2", "team2", 1));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job1"), TaskStatus::Binding);
  EXPECT_EQ(cluster.status("job2"), TaskStatus::Binding);
}

TEST(K07, QueuesMayBeFourLevelsDeep) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "company", .quota = 10, .parent = "-"});
  cluster.queue({.name = "division", .quota = 5, .parent = "company"});
  cluster.queue({.name = "department", .quota = 3, .parent = "division"});
  cluster.queue({.name = "project", .quota = 2, .parent = "department"});
  cluster.job(train("job", "project", 2));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job"), TaskStatus::Binding);
}

TEST(K07, ALimitInTheMiddleStopsTheSecondTeamAndIsNamed) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "org", .quota = 4, .parent = "-"});
  cluster.queue({.name = "dept1", .quota = 1, .limit = 1, .parent = "org"});
  cluster.queue({.name = "team1", .quota = 1, .parent = "dept1"});
  cluster.queue({.name = "team2", .quota = 1, .parent = "dept1"});
  cluster.job(train("job1", "team1", 1)).job(train("job2", "team2", 1));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job1"), TaskStatus::Binding);
  EXPECT_EQ(cluster.status("job2"), TaskStatus::Pending);
  EXPECT_NE(cluster.message("job2").find("dept1 quota has reached"), std::string::npos);
}

TEST(K08, AGangAboveItsQuotaBindsNothing) {
  KaiCluster cluster;
  cluster.node("node0", 2).queue({.name = "queue0", .quota = 2});
  cluster.job(build("gang", "queue0", 2, 2));
  cluster.run("allocate");
  EXPECT_EQ(cluster.count("gang", kPending), 2);
  EXPECT_EQ(cluster.binds, 0u);
  EXPECT_EQ(cluster.reason("gang"), "NonPreemptibleOverQuota");
}

TEST(K08, AGangThatOnlyHalfFitsBindsNothing) {
  KaiCluster cluster;
  cluster.node("node0", 2).queue({.name = "queue0", .quota = 2});
  cluster.job(train("gang", "queue0", 2, 2));
  cluster.run("allocate");
  EXPECT_EQ(cluster.count("gang", kPending), 2);
  EXPECT_EQ(cluster.binds, 0u);
  EXPECT_EQ(cluster.reason("gang"), "PodSchedulingErrors");
  EXPECT_EQ(
      cluster.message("gang"),
      "Resources were found for 1 pods while 2 are required for gang scheduling. Additional pods "
      "cannot be scheduled due to: no nodes with enough resources were found: 1 node(s) didn't "
      "have enough resources: GPUs.");
}

TEST(K08, QuotaIsTestedOnTheWholeGang) {
  KaiCluster cluster;
  cluster.node("node0", 10).queue({.name = "queue0", .quota = 3});
  cluster.job(build("gang", "queue0", 2, 2));
  cluster.run("allocate");
  EXPECT_EQ(cluster.count("gang", kPending), 2);
  EXPECT_EQ(cluster.reason("gang"), "NonPreemptibleOverQuota");
}

TEST(K09, OnePipelinedMemberPipelinesTheWholeGang) {
  KaiCluster cluster;
  cluster.node("node0", 4).queue({.name = "queue0", .quota = 3});
  cluster.job({.name = "old",
               .queue = "queue0",
               .tasks = {{.gpus = 1, .status = TaskStatus::Releasing, .node = "node0"}}});
  cluster.job(train("gang", "queue0", 2, 2));
  cluster.run("allocate");
  EXPECT_EQ(cluster.count("gang", statuses(TaskStatus::Pipelined)), 2);
  EXPECT_EQ(cluster.node_of("gang", 0), "node0");
  EXPECT_EQ(cluster.binds, 0u);
}

TEST(K11, AnUnsatisfiedSubGroupGoesFirst) {
  KaiCluster cluster;
  cluster.node("node0", 4).queue({.name = "queue0", .quota = 1});
  const TaskRow running{.status = TaskStatus::Running, .node = "node0", .sub_group = "sub0"};
  const TaskRow pending0{.sub_group = "sub0"};
  const TaskRow pending1{.sub_group = "sub1"};
  cluster.job({.name = "job",
               .queue = "queue0",
               .tasks = {running, running, pending0, pending1, pending1},
               .sub_groups = {{"sub0", 2, ""}, {"sub1", 2, ""}}});
  cluster.run("allocate");
  EXPECT_EQ(cluster.status("job", 2), TaskStatus::Pending);
  EXPECT_EQ(cluster.status("job", 3), TaskStatus::Binding);
  EXPECT_EQ(cluster.status("job", 4), TaskStatus::Binding);
}

TEST(K11, EachSubGroupGetsItsMissingMinimumAndNoMore) {
  KaiCluster cluster;
  cluster.node("node0", 4).queue({.name = "queue0", .quota = 1});
  const TaskRow pending0{.sub_group = "sub0"};
  const TaskRow pending1{.gpus = 2, .sub_group = "sub1"};
  cluster.job({.name = "job",
               .queue = "queue0",
               .tasks = {{.status = TaskStatus::Running, .node = "node0", .sub_group = "sub0"},
                         pending0,
                         pending0,
                         pending0,
                         pending0,
                         pending1,
                         pending1},
               .sub_groups = {{"sub0", 2, ""}, {"sub1", 1, ""}}});
  cluster.run("allocate");
  EXPECT_EQ(cluster.binds, 2u);
  EXPECT_EQ(cluster.count("job", kBinding), 2);
  EXPECT_EQ(cluster.status("job", 5), TaskStatus::Binding);
}

TEST(K12, AnInfeasibleSubGroupLeavesNothingBehind) {
  KaiCluster cluster;
  cluster.node("node0", 4).queue({.name = "queue0", .quota = 1});
  cluster.job({.name = "job",
               .queue = "queue0",
               .tasks = {{.gpus = 3, .sub_group = "sub0"},
                         {.gpus = 3, .sub_group = "sub0"},
                         {.sub_group = "sub1"},
                         {.sub_group = "sub1"}},
               .sub_groups = {{"sub0", 1, ""}, {"sub1", 2, ""}}});
  cluster.run("allocate");
  EXPECT_EQ(cluster.count("job", kPending), 4);
  EXPECT_EQ(cluster.binds, 0u);
  EXPECT_EQ(cluster.session().nodes()[0].idle.milli_gpu, 4000);
}

TEST(K18, WithoutATopologyTheSameGangFits) {
  KaiCluster cluster;
  for (int i = 0; i < 4; ++i) cluster.node("node" + std::to_string(i), 2);
  cluster.queue({.name = "queue0", .quota = 8}).job(train("gang", "queue0", 1, 4));
  cluster.rounds(1);
  EXPECT_EQ(cluster.count("gang", kBinding), 4);
}

TEST(Allocate, SaysThatAQueueDoesNotExist) {
  KaiCluster cluster;
  cluster.node("node0", 2).queue({.name = "queue0", .quota = 2}).job(train("job", "nowhere", 1));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job"), TaskStatus::Pending);
  EXPECT_EQ(cluster.reason("job"), "QueueDoesNotExist");
  EXPECT_EQ(cluster.message("job"), "Queue 'nowhere' does not exist");
}

TEST(Allocate, GrowsAnElasticJobByOnePodAtATimeBetweenTheQueues) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "queue0", .quota = 1}).queue({.name = "queue1", .quota = 1});
  JobRow elastic = train("elastic", "queue0", 1, 4);
  elastic.min_member = 1;
  cluster.job(elastic).job(train("a", "queue1", 1)).job(train("b", "queue1", 1));
  cluster.rounds(1);
  EXPECT_EQ(cluster.count("elastic", kBinding), 2);
  EXPECT_EQ(cluster.status("a"), TaskStatus::Binding);
  EXPECT_EQ(cluster.status("b"), TaskStatus::Binding);
}

TEST(Allocate, PlacesTasksByTheirOwnPriority) {
  KaiCluster cluster;
  cluster.node("node0", 1).queue({.name = "queue0", .quota = 1});
  cluster.job({.name = "job",
               .queue = "queue0",
               .tasks = {{}, {.priority = 1}, {.priority = 5}},
               .min_member = 1});
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job", 2), TaskStatus::Binding);
  EXPECT_EQ(cluster.status("job", 0), TaskStatus::Pending);
}

TEST(Allocate, WaitsForAGangWhoseMembersAreNotAllThere) {
  KaiCluster cluster;
  cluster.node("node0", 8).queue({.name = "queue0", .quota = 8});
  JobRow gang = train("gang", "queue0", 1, 2);
  gang.min_member = 3;
  cluster.job(gang);
  cluster.rounds(1);
  EXPECT_EQ(cluster.count("gang", kPending), 2);
  EXPECT_EQ(cluster.session().attempted_tasks(), 0u);
}

TEST(Allocate, TellsWhichCommitCompletedTheGang) {
  KaiCluster cluster;
  cluster.node("node0", 3).queue({.name = "queue0", .quota = 3});
  JobRow gang = train("gang", "queue0", 1, 3);
  gang.min_member = 2;
  cluster.job(gang);
  cluster.rounds(1);
  const auto& commits = cluster.session().commits();
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_TRUE(commits[0].completes_gang);
  EXPECT_EQ(commits[0].binds.size(), 2u);
  EXPECT_FALSE(commits[1].completes_gang);
}

TEST(Allocate, PacksGpusOntoTheFullerNode) {
  KaiCluster cluster;
  cluster.node("node0", 8).node("node1", 8).queue({.name = "queue0", .quota = 16});
  cluster.job({.name = "old",
               .queue = "queue0",
               .tasks = {{.gpus = 2, .status = TaskStatus::Running, .node = "node1"}}});
  cluster.job(train("job", "queue0", 1));
  cluster.rounds(1);
  EXPECT_EQ(cluster.node_of("job"), "node1");
}

TEST(Allocate, BreaksTiesByTheNodesName) {
  KaiCluster cluster;
  cluster.node("node2", 8).node("node1", 8).queue({.name = "queue0", .quota = 16});
  cluster.job(train("job", "queue0", 1));
  cluster.rounds(1);
  EXPECT_EQ(cluster.node_of("job"), "node1");
}

TEST(Allocate, PutsAPodWithoutGpuOnANodeWithoutOne) {
  KaiCluster cluster;
  cluster.node("gpu", 8).node("plain", 0).queue({.name = "queue0", .quota = 16});
  cluster.job(train("job", "queue0", 0));
  cluster.rounds(1);
  EXPECT_EQ(cluster.node_of("job"), "plain");
}

TEST(Allocate, PrefersIdleRoomToRoomThatIsBeingVacated) {
  KaiCluster cluster;
  cluster.node("node0", 2).node("node1", 2).queue({.name = "queue0", .quota = 4});
  cluster.job({.name = "old",
               .queue = "queue0",
               .tasks = {{.gpus = 2, .status = TaskStatus::Releasing, .node = "node0"}}});
  cluster.job(train("job", "queue0", 2));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job"), TaskStatus::Binding);
  EXPECT_EQ(cluster.node_of("job"), "node1");
}

TEST(Allocate, RespectsTaintsAndCordons) {
  KaiCluster cluster;
  cluster.node(testing::NodeBuilder("tainted").gpus(8).taint("k", "v", "NoSchedule"));
  cluster.node(testing::NodeBuilder("cordoned").gpus(8).cordoned());
  cluster.queue({.name = "queue0", .quota = 16}).job(train("job", "queue0", 1));
  cluster.rounds(1);
  EXPECT_EQ(cluster.status("job"), TaskStatus::Pending);
  EXPECT_EQ(
      cluster.find("job").task_errors.begin()->second,
      "no nodes with enough resources were found: 1 node(s) had untolerated taint {k: v}. \n1 "
      "node(s) were unschedulable.");
}

TEST(Allocate, ComesToRestAfterItsRounds) {
  KaiCluster cluster;
  cluster.node("node0", 4);
  cluster.queue({.name = "queue0", .quota = 1}).queue({.name = "queue1", .quota = 1});
  for (int i = 0; i < 3; ++i) {
    cluster.job(train("a" + std::to_string(i), "queue0", 1));
    cluster.job(train("b" + std::to_string(i), "queue1", 1));
  }
  cluster.rounds(2);
  for (int round = 0; round < 5; ++round) {
    cluster.rounds(1);
    EXPECT_EQ(cluster.binds + cluster.evictions + cluster.pipelines, 0u);
    EXPECT_EQ(cluster.count("a0", kRunning), 1);
  }
}

}  // namespace
}  // namespace troupe::kai
