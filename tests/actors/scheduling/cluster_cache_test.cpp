#include "actors/scheduling/cluster_cache.h"

#include <gtest/gtest.h>

#include "tests/actors/scheduling/scheduling_fixture.h"

namespace troupe::scheduling {
namespace {

using testing::NodeBuilder;
using testing::PodBuilder;
using testing::SchedulingFixture;

std::vector<std::string> names(const Snapshot& snapshot) {
  std::vector<std::string> result;
  for (const NodeInfo& node : snapshot.nodes()) result.push_back(node.name());
  return result;
}

TEST(ClusterCache, CountsAPodOnItsNode) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n").gpus(8));
  cluster.add(PodBuilder("a").gpus(3).on("n"));
  EXPECT_EQ(cluster.node("n").requested().milli_gpu, 3000);
  cluster.cache.remove_pod("uid-a");
  EXPECT_EQ(cluster.node("n").requested().milli_gpu, 0);
}

TEST(ClusterCache, CountsAnAssumedPodUntilItIsForgotten) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n").gpus(8));
  cluster.cache.assume(cluster.info(PodBuilder("a").gpus(1)), "n");
  EXPECT_TRUE(cluster.cache.is_assumed("uid-a"));
  EXPECT_EQ(cluster.node("n").requested().milli_gpu, 1000);
  cluster.cache.forget("uid-a");
  EXPECT_EQ(cluster.node("n").requested().milli_gpu, 0);
}

TEST(ClusterCache, ConfirmsAnAssumptionOnceAndDoesNotForgetItAfterwards) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n").gpus(8));
  cluster.cache.assume(cluster.info(PodBuilder("a").gpus(1)), "n");
  cluster.add(PodBuilder("a").gpus(1).on("n", "Pending"));
  EXPECT_FALSE(cluster.cache.is_assumed("uid-a"));
  cluster.cache.forget("uid-a");
  EXPECT_EQ(cluster.node("n").requested().milli_gpu, 1000);
}

TEST(ClusterCache, MovesAPodThatWasBoundElsewhereThanAssumed) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n1").gpus(8));
  cluster.add(NodeBuilder("n2").gpus(8));
  cluster.cache.assume(cluster.info(PodBuilder("a").gpus(1)), "n1");
  cluster.add(PodBuilder("a").gpus(1).on("n2"));
  EXPECT_EQ(cluster.node("n1").requested().milli_gpu, 0);
  EXPECT_EQ(cluster.node("n2").requested().milli_gpu, 1000);
}

TEST(ClusterCache, RefusesToPlaceAPodTwice) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n"));
  cluster.cache.assume(cluster.info(PodBuilder("a")), "n");
  EXPECT_ANY_THROW(cluster.cache.assume(cluster.info(PodBuilder("a")), "n"));
}

TEST(ClusterCache, KeepsPodsOfANodeThatIsGoneAndShowsNoSuchNode) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n").gpus(8));
  cluster.add(PodBuilder("a").gpus(2).on("n"));
  cluster.cache.remove_node("n");
  EXPECT_TRUE(cluster.refresh().nodes().empty());
  cluster.add(NodeBuilder("n").gpus(8));
  EXPECT_EQ(cluster.node("n").requested().milli_gpu, 2000);
}

TEST(ClusterCache, TakesPodsOfANodeThatItHasNotSeenYet) {
  SchedulingFixture cluster;
  cluster.add(PodBuilder("a").gpus(2).on("n"));
  EXPECT_TRUE(cluster.refresh().nodes().empty());
  cluster.add(NodeBuilder("n").gpus(8));
  EXPECT_EQ(cluster.node("n").requested().milli_gpu, 2000);
}

TEST(ClusterCache, LeavesAnOlderSnapshotAlone) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n").gpus(8));
  cluster.refresh();
  cluster.add(PodBuilder("a").gpus(2).on("n"));
  EXPECT_EQ(cluster.snapshot.nodes()[0].requested().milli_gpu, 0);
  EXPECT_EQ(cluster.refresh().nodes()[0].requested().milli_gpu, 2000);
}

TEST(ClusterCache, BringsTheSameStateIncrementallyAsFromScratch) {
  SchedulingFixture cluster;
  for (int i = 0; i < 5; ++i) cluster.add(NodeBuilder("n" + std::to_string(i)).gpus(8));
  cluster.refresh();
  for (int i = 0; i < 20; ++i) {
    cluster.add(PodBuilder("p" + std::to_string(i)).gpus(1).on("n" + std::to_string(i % 5)));
    if (i % 3 == 0) cluster.refresh();
    if (i % 4 == 0) cluster.cache.remove_pod("uid-p" + std::to_string(i / 2));
  }
  cluster.refresh();
  for (const NodeInfo& node : cluster.snapshot.nodes()) {
    EXPECT_EQ(node.requested(), cluster.cache.find_node(node.name())->requested()) << node.name();
  }
}

TEST(NodeOrder, GoesRoundTheZones) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("a1").zone("a"));
  cluster.add(NodeBuilder("a2").zone("a"));
  cluster.add(NodeBuilder("a3").zone("a"));
  cluster.add(NodeBuilder("b1").zone("b"));
  EXPECT_EQ(names(cluster.refresh()), (std::vector<std::string>{"a1", "b1", "a2", "a3"}));
}

TEST(NodeOrder, FollowsANodeThatChangesItsZone) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n1").zone("a"));
  cluster.add(NodeBuilder("n2").zone("a"));
  cluster.add(NodeBuilder("n1").zone("b"));
  EXPECT_EQ(names(cluster.refresh()), (std::vector<std::string>{"n2", "n1"}));
}

}  // namespace
}  // namespace troupe::scheduling
