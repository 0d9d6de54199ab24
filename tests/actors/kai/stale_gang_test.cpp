// K37 and K38: gangs that lost members.
#include <gtest/gtest.h>

#include "tests/actors/kai/kai_cluster.h"

namespace troupe::kai {
namespace {

using namespace std::chrono_literals;

JobRow broken_gang(std::optional<Duration> stale_for) {
  return {
      .name = "gang",
      .queue = "queue0",
      .tasks = {{.status = TaskStatus::Running, .node = "node0"}, {.status = TaskStatus::Failed}},
      .min_member = 2,
      .stale_for = stale_for};
}

class StaleGang : public ::testing::Test {
 protected:
  void SetUp() override { cluster.node("node0", 4).queue({.name = "queue0", .quota = 4}); }
  KaiCluster cluster;
};

TEST_F(StaleGang, IsMarkedWhenItIsFirstSeen) {
  cluster.job(broken_gang(std::nullopt)).run("stalegangeviction");
  EXPECT_EQ(cluster.find("gang").stale_since, cluster.session().now());
  EXPECT_EQ(cluster.evictions, 0u);
}

TEST_F(StaleGang, K37IsLeftAloneWithinTheGrace) {
  cluster.job(broken_gang(1s)).run("stalegangeviction");
  EXPECT_EQ(cluster.status("gang", 0), TaskStatus::Running);
}

TEST_F(StaleGang, K37IsEvictedAfterTheGrace) {
  cluster.job(broken_gang(61s)).run("stalegangeviction");
  EXPECT_EQ(cluster.status("gang", 0), TaskStatus::Releasing);
  EXPECT_EQ(
      cluster.session().commits()[0].evictions[0].message,
      "Workload doesn't meet the minimum required number of pods (2), evicting remaining pod: "
      "default/gang-0");
}

TEST_F(StaleGang, K37AJobAtItsMinimumLosesItsMark) {
  JobRow row = broken_gang(61s);
  row.min_member = 1;
  cluster.job(row).run("stalegangeviction");
  EXPECT_EQ(cluster.status("gang", 0), TaskStatus::Running);
  EXPECT_FALSE(cluster.find("gang").stale_since);
}

TEST_F(StaleGang, K37OneBrokenSubGroupCondemnsTheGang) {
  const TaskRow running{.status = TaskStatus::Running, .node = "node0", .sub_group = "sub-group-0"};
  cluster.job({.name = "gang",
               .queue = "queue0",
               .tasks = {running,
                         running,
                         running,
                         {.status = TaskStatus::Failed, .sub_group = "sub-group-1"}},
               .sub_groups = {{"sub-group-0", 2, ""}, {"sub-group-1", 1, ""}},
               .stale_for = 61s});
  cluster.run("stalegangeviction");
  EXPECT_EQ(cluster.count("gang", statuses(TaskStatus::Releasing)), 3);
}

TEST_F(StaleGang, IsLeftAloneForEverWhereTheGraceIsNegative) {
  cluster.job(broken_gang(10h)).staleness_grace(-1s).run("stalegangeviction");
  EXPECT_EQ(cluster.evictions, 0u);
}

TEST_F(StaleGang, IsLeftAloneOnceAMemberHasSucceeded) {
  JobRow row = broken_gang(61s);
  row.tasks[1].status = TaskStatus::Succeeded;
  cluster.job(row).run("stalegangeviction");
  EXPECT_EQ(cluster.evictions, 0u);
}

TEST_F(StaleGang, CountsAMemberThatIsStillTerminating) {
  JobRow row = broken_gang(std::nullopt);
  row.tasks[1] = {.status = TaskStatus::Releasing, .node = "node0"};
  cluster.job(row).run("stalegangeviction");
  EXPECT_FALSE(cluster.find("gang").stale_since);
}

TEST(K38, AGraceOfZeroLetsGoOfWhatIsLeftOfTheGang) {
  KaiCluster cluster;
  cluster.node("node0", 2).queue({.name = "queue0", .quota = 1}).staleness_grace(0s);
  cluster.job({.name = "gang",
               .queue = "queue0",
               .tasks = {{.status = TaskStatus::Running, .node = "node0"}, {}}});
  cluster.job({.name = "other",
               .queue = "queue0",
               .tasks = {{.status = TaskStatus::Running, .node = "node0"}}});
  cluster.rounds(2);
  EXPECT_EQ(cluster.count("gang", statuses(TaskStatus::Pending)), 2);
  EXPECT_EQ(cluster.status("other"), TaskStatus::Running);
}

}  // namespace
}  // namespace troupe::kai
