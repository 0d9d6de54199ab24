// The node lifecycle controller in a cluster: what becomes of nodes that fail, fall silent and come
// back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actors/workloads/node_cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class NodeLifecycleTest : public ::testing::Test {
 protected:
  NodeLifecycleTest() {
    cluster_.add_node("n1");
    cluster_.add_node("n2");
    cluster_.live(10s);
  }
  void silence(const std::string& node) { cluster_.living.erase(node); }

  NodeCluster cluster_;
};

TEST_F(NodeLifecycleTest, ANewNodeLosesItsTaintOnceItIsReady) {
  cluster_.add_node("n3", "False");
  cluster_.live(10s);
  EXPECT_THAT(cluster_.taints("n3"), Contains(kNotReadyNoSchedule));
  cluster_.report("n3", "True");
  cluster_.network.run_for(1s);
  EXPECT_THAT(cluster_.taints("n3"), Not(Contains(kNotReadyNoSchedule)));
  EXPECT_THAT(cluster_.event_reasons("Node/n1"), Contains("RegisteredNode"));
}

TEST_F(NodeLifecycleTest, ANodeThatSaysThatItIsNotReadyIsTaintedBothWays) {
  cluster_.add_pod("a", "n1");
  cluster_.report("n1", "False");
  cluster_.live(6s);
  EXPECT_THAT(cluster_.taints("n1"), ElementsAre(kNotReadyNoExecute, kNotReadyNoSchedule));
  // Its kubelet lives, and knows best which of its pods are ready.
  EXPECT_TRUE(is_true(cluster_.pod("a")->status().conditions(), "Ready"));
  cluster_.report("n1", "True");
  cluster_.live(6s);
  EXPECT_THAT(cluster_.taints("n1"), IsEmpty());
}

TEST_F(NodeLifecycleTest, ACordonedNodeIsTaintedAtOnce) {
  k8s::Node node = *cluster_.node("n1");
  node.mutable_spec()->set_unschedulable(true);
  cluster_.update(node);
  cluster_.network.run_for(1s);
  EXPECT_THAT(cluster_.taints("n1"), ElementsAre("node.kubernetes.io/unschedulable:NoSchedule"));
  node = *cluster_.node("n1");
  node.mutable_spec()->clear_unschedulable();
  cluster_.update(node);
  cluster_.network.run_for(1s);
  EXPECT_THAT(cluster_.taints("n1"), IsEmpty());
}

TEST_F(NodeLifecycleTest, ASilentNodeIsUnreachableFiftyToSixtySecondsAfterItsLastRenewal) {  // C49
  cluster_.add_pod("a", "n1");
  cluster_.add_pod("b", "n2");
  cluster_.beat();
  const SimTime died = cluster_.network.now();
  silence("n1");
  cluster_.live(50s);
  EXPECT_EQ(cluster_.ready("n1").status(), "True");
  EXPECT_THAT(cluster_.taints("n1"), IsEmpty());
  cluster_.live(10s);
  const k8s::Condition ready = cluster_.ready("n1");
  EXPECT_EQ(ready.status(), "Unknown");
  EXPECT_EQ(ready.message(), "Kubelet stopped posting node status.");
  EXPECT_GT(from_ns(ready.last_transition_time()), died + 50s);
  EXPECT_LE(from_ns(ready.last_transition_time()), died + 60s);
  EXPECT_THAT(cluster_.taints("n1"), ElementsAre(kUnreachableNoExecute, kUnreachableNoSchedule));
  EXPECT_FALSE(is_true(cluster_.pod("a")->status().conditions(), "Ready"));
  EXPECT_TRUE(is_true(cluster_.pod("b")->status().conditions(), "Ready"));
  EXPECT_EQ(cluster_.ready("n2").status(), "True");
  EXPECT_THAT(cluster_.event_reasons("Node/n1"), Contains("NodeNotReady"));
  EXPECT_THAT(cluster_.event_reasons("Pod/default/a"), Contains("NodeNotReady"));
  ASSERT_THAT(cluster_.network.facts_of<facts::NodeNotReady>(), SizeIs(1));
  EXPECT_EQ(cluster_.network.facts_of<facts::NodeNotReady>()[0]->node(), "n1");
}

TEST_F(NodeLifecycleTest, ANodeThatComesBackWithinItsGraceIsLeftAlone) {
  cluster_.add_pod("a", "n1");
  cluster_.beat();
  silence("n1");
  cluster_.live(45s);
  cluster_.living.insert("n1");
  cluster_.live(60s);
  EXPECT_EQ(cluster_.ready("n1").status(), "True");
  EXPECT_THAT(cluster_.taints("n1"), IsEmpty());
  EXPECT_TRUE(is_true(cluster_.pod("a")->status().conditions(), "Ready"));
}

TEST_F(NodeLifecycleTest, ANodeThatComesBackLaterLosesItsTaints) {
  silence("n1");
  cluster_.live(80s);
  EXPECT_THAT(cluster_.taints("n1"), SizeIs(2));
  cluster_.living.insert("n1");
  cluster_.report("n1", "True");
  cluster_.live(6s);
  EXPECT_THAT(cluster_.taints("n1"), IsEmpty());
}

TEST_F(NodeLifecycleTest, NodesOfOneZoneAreGivenUpTenSecondsApart) {
  cluster_.add_node("n3");
  cluster_.live(10s);
  cluster_.beat();
  silence("n1");
  silence("n2");
  cluster_.live(80s);
  const auto since = [this](const std::string& node) {
    const auto object = cluster_.node(node);
    return from_ns(
        find_taint(object->spec().taints(), kUnreachableTaint, kNoExecute)->time_added());
  };
  EXPECT_GE(since("n2") - since("n1"), 10s);
  EXPECT_LT(since("n2") - since("n1"), 11s);
}

TEST_F(NodeLifecycleTest, NobodyIsGivenUpWhenEveryNodeIsSilent) {
  silence("n1");
  silence("n2");
  cluster_.live(200s);
  EXPECT_EQ(cluster_.ready("n1").status(), "Unknown");
  EXPECT_THAT(cluster_.taints("n1"), ElementsAre(kUnreachableNoSchedule));
  EXPECT_THAT(cluster_.taints("n2"), ElementsAre(kUnreachableNoSchedule));
  cluster_.living.insert("n2");
  cluster_.report("n2", "True");
  cluster_.live(30s);
  EXPECT_THAT(cluster_.taints("n2"), IsEmpty());
  EXPECT_THAT(cluster_.taints("n1"), ElementsAre(kUnreachableNoExecute, kUnreachableNoSchedule));
}

TEST_F(NodeLifecycleTest, WhenTheLastNodeFallsSilentTheOthersEvictionsEnd) {
  silence("n1");
  cluster_.live(80s);
  EXPECT_THAT(cluster_.taints("n1"), Contains(kUnreachableNoExecute));
  silence("n2");
  cluster_.live(80s);
  EXPECT_THAT(cluster_.taints("n1"), ElementsAre(kUnreachableNoSchedule));
}

TEST_F(NodeLifecycleTest, ALateCacheDoesNotKeepASilentNodeReady) {
  cluster_.beat();
  silence("n1");
  cluster_.live(40s);
  cluster_.network.latency = [](const auto& wire) {
    return wire.what.template as<api::WatchEvent>() != nullptr ? Duration(30s) : Duration(1ms);
  };
  k8s::Node node = *cluster_.node("n1");
  set_label(*node.mutable_metadata()->mutable_labels(), "team", "a");
  cluster_.update(std::move(node));
  cluster_.live(20s);
  EXPECT_EQ(cluster_.ready("n1").status(), "Unknown");
}

TEST_F(NodeLifecycleTest, ARestartedManagerGivesEveryNodeItsGraceAgain) {
  silence("n1");
  cluster_.live(30s);
  cluster_.network.crash(kManager);
  cluster_.network.restart(kManager);
  cluster_.live(50s);
  EXPECT_EQ(cluster_.ready("n1").status(), "True");
  cluster_.live(10s);
  EXPECT_EQ(cluster_.ready("n1").status(), "Unknown");
}

TEST_F(NodeLifecycleTest, PodsThatACrashLeftReadyOnALostNodeAreMarkedByTheNextLife) {
  cluster_.add_pod("a", "n1");
  cluster_.network.lose = [](const troupe::testing::Wire& wire) {
    const auto* request = wire.what.as<api::ApiRequest>();
    return request != nullptr && request->key().kind() == "Pod" && wire.from == kManager;
  };
  silence("n1");
  cluster_.live(70s);
  EXPECT_EQ(cluster_.ready("n1").status(), "Unknown");
  EXPECT_TRUE(is_true(cluster_.pod("a")->status().conditions(), "Ready"));
  cluster_.network.lose = [](const auto&) { return false; };
  cluster_.network.crash(kManager);
  cluster_.network.restart(kManager);
  cluster_.live(2s);
  EXPECT_FALSE(is_true(cluster_.pod("a")->status().conditions(), "Ready"));
}

TEST_F(NodeLifecycleTest, ANodeWithoutAKubeletIsUnreachableAMinuteAfterItsCreation) {
  k8s::Node node;
  node.mutable_metadata()->set_name("n3");
  cluster_.create(std::move(node));
  cluster_.live(58s);
  EXPECT_EQ(find_condition(cluster_.node("n3")->status().conditions(), "Ready"), nullptr);
  cluster_.live(12s);
  EXPECT_EQ(cluster_.ready("n3").reason(), "NodeStatusNeverUpdated");
  EXPECT_THAT(cluster_.taints("n3"), Contains(kUnreachableNoSchedule));
}

}  // namespace
}  // namespace troupe::workloads
