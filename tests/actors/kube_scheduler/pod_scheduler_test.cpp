#include "actors/kube_scheduler/pod_scheduler.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/actors/scheduling/scheduling_fixture.h"

namespace troupe::kube_scheduler {
namespace {

using testing::NodeBuilder;
using testing::PodBuilder;
using testing::SchedulingFixture;

class PodSchedulerTest : public ::testing::Test, public SchedulingFixture {
 protected:
  Decision decide(const PodBuilder& builder) {
    pod = info(builder);
    const std::optional<k8s::LabelSelector> none;
    return scheduler.decide({*pod, refresh(), nominator, none, [this] { return ++draws; }});
  }
  void add_nodes(int count, int gpus) {
    for (int i = 0; i < count; ++i) add(NodeBuilder("n" + std::to_string(i)).gpus(gpus));
  }

  PodScheduler scheduler{PodSchedulerOptions{}};
  Nominator nominator;
  scheduling::PodPtr pod;
  std::uint64_t draws = 0;
};

TEST_F(PodSchedulerTest, C44ExaminesAllOfFewNodesAndAShrinkingShareOfMany) {
  EXPECT_EQ(scheduler.enough_of(80), 80u);
  EXPECT_EQ(scheduler.enough_of(100), 100u);
  EXPECT_EQ(scheduler.enough_of(1000), 420u);
  EXPECT_EQ(scheduler.enough_of(6000), 300u);
}

TEST_F(PodSchedulerTest, HonoursAGivenPercentage) {
  const PodScheduler fixed(PodSchedulerOptions{.percentage_of_nodes_to_score = 30});
  EXPECT_EQ(fixed.enough_of(1000), 300u);
  EXPECT_EQ(fixed.enough_of(200), 100u);
  const PodScheduler all(PodSchedulerOptions{.percentage_of_nodes_to_score = 100});
  EXPECT_EQ(all.enough_of(1000), 1000u);
}

TEST_F(PodSchedulerTest, C44ContinuesWhereTheLastCycleStopped) {
  add_nodes(150, 8);
  // 150 nodes: 49 % are 73, raised to 100. Two cycles of 100 cover all, and neither sees the same
  // start.
  const Decision first = decide(PodBuilder("p").gpus(1));
  EXPECT_EQ(first.examined, 100u);
  std::set<std::string> late;
  for (int i = 100; i < 150; ++i) late.insert("n" + std::to_string(i));
  for (int i = 0; i < 100; ++i)
    cache.set_node(NodeBuilder("n" + std::to_string(i)).gpus(0).share());
  const Decision second = decide(PodBuilder("q").gpus(1));
  EXPECT_EQ(second.examined, 150u);
  EXPECT_EQ(second.feasible, 50u);
  EXPECT_TRUE(late.contains(second.node));
}

TEST_F(PodSchedulerTest, SkipsScoresWhereOnlyOneNodeTakesThePod) {
  add_nodes(3, 0);
  add(NodeBuilder("gpu").gpus(1));
  const Decision decision = decide(PodBuilder("p").gpus(1));
  EXPECT_EQ(decision.node, "gpu");
  EXPECT_EQ(draws, 0u);
}

TEST_F(PodSchedulerTest, DrawsOnceAmongEquals) {
  add_nodes(4, 8);
  EXPECT_FALSE(decide(PodBuilder("p").gpus(1)).node.empty());
  EXPECT_EQ(draws, 1u);
}

TEST_F(PodSchedulerTest, TriesTheNominatedNodeAlone) {
  add_nodes(10, 8);
  nominator.nominate(info(PodBuilder("p").gpus(1)), "n7");
  const Decision decision = decide(PodBuilder("p").gpus(1));
  EXPECT_EQ(decision.node, "n7");
  EXPECT_EQ(decision.examined, 1u);
}

TEST_F(PodSchedulerTest, LeavesRoomForAMoreImportantPodThatIsNominated) {
  add(NodeBuilder("n").gpus(1));
  nominator.nominate(info(PodBuilder("vip").gpus(1).priority(10)), "n");
  EXPECT_TRUE(decide(PodBuilder("p").gpus(1)).node.empty());
  EXPECT_EQ(decide(PodBuilder("king").gpus(1).priority(11)).node, "n");
}

TEST_F(PodSchedulerTest, SaysWhyNoNodeTakesThePod) {
  add_nodes(8, 1);
  for (int i = 0; i < 8; ++i) {
    add(PodBuilder("busy" + std::to_string(i)).gpus(1).on("n" + std::to_string(i)));
  }
  add(NodeBuilder("tainted").taint("gpu", "h100", "NoSchedule"));
  const Decision decision = decide(PodBuilder("p").gpus(1));
  EXPECT_EQ(fit_error(*pod, decision.rejections),
            "0/9 nodes are available: 1 node(s) had untolerated taint {gpu: h100}, "
            "8 Insufficient nvidia.com/gpu.");
  EXPECT_EQ(plugins_of(decision.rejections),
            bit(scheduling::Plugin::NodeResourcesFit) | bit(scheduling::Plugin::TaintToleration));
}

TEST_F(PodSchedulerTest, SaysSoWhereThereAreNoNodes) {
  const Decision decision = decide(PodBuilder("p"));
  EXPECT_EQ(fit_error(*pod, decision.rejections), "no nodes available to schedule pods");
}

TEST_F(PodSchedulerTest, SpreadsGpuPodsByCpuAsTheDefaultScoresDo) {
  add_nodes(2, 8);
  std::map<std::string, int> placed;
  for (int i = 0; i < 8; ++i) {
    const PodBuilder builder = PodBuilder("p" + std::to_string(i)).cpu("2").gpus(1);
    const Decision decision = decide(builder);
    cache.assume(info(builder), decision.node);
    ++placed[decision.node];
  }
  EXPECT_EQ(placed["n0"], 4);
  EXPECT_EQ(placed["n1"], 4);
}

}  // namespace
}  // namespace troupe::kube_scheduler
