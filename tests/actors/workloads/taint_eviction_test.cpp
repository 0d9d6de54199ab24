// How long pods stay on nodes with NoExecute taints, and what becomes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/taint_eviction/stay.h"
#include "tests/actors/workloads/node_cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kBroken = "example.com/broken";

k8s::Toleration toleration(std::string_view key, std::optional<int> seconds = {}) {
  k8s::Toleration result;
  result.set_key(std::string(key));
  result.set_operator_("Exists");
  result.set_effect("NoExecute");
  if (seconds) result.set_toleration_seconds(*seconds);
  return result;
}

Tolerations tolerations(const std::vector<k8s::Toleration>& list) {
  return {list.begin(), list.end()};
}

Taints taints(const std::vector<std::string_view>& keys) {
  Taints result;
  for (const std::string_view key : keys) *result.Add() = make_taint(key, kNoExecute);
  return result;
}

TEST(Stay, IsForEverWithoutTaints) {
  EXPECT_EQ(stay_of({}, {}), std::nullopt);
  NodeBuilder node("n");
  node.taint("a", "", "NoSchedule").taint("b", "", "NoExecute");
  EXPECT_EQ(no_execute_taints(node.raw()).size(), 1);
}

TEST(Stay, IsOverAtOnceIfOneTaintIsNotTolerated) {
  EXPECT_EQ(stay_of(tolerations({toleration("a", 60)}), taints({"a", "b"})), 0s);
  EXPECT_EQ(stay_of({}, taints({"a"})), 0s);
}

TEST(Stay, IsTheShortestOfTheTolerationsThatAreUsed) {
  const Tolerations list =
      tolerations({toleration("a", 60), toleration("b", 30), toleration("c", 5)});
  EXPECT_EQ(stay_of(list, taints({"a", "b"})), 30s);
  EXPECT_EQ(stay_of(list, taints({"a"})), 60s);
}

TEST(Stay, IsForEverIfEveryTaintIsToleratedForEver) {
  const Tolerations list = tolerations({toleration("a"), toleration("b", 30)});
  EXPECT_EQ(stay_of(list, taints({"a"})), std::nullopt);
  EXPECT_EQ(stay_of(list, taints({"a", "b"})), 30s);
}

TEST(Stay, NegativeSecondsAreNone) {
  EXPECT_EQ(stay_of(tolerations({toleration("a", -5)}), taints({"a"})), 0s);
}

class TaintEvictionTest : public ::testing::Test {
 protected:
  TaintEvictionTest() {
    cluster_.add_node("n1");
    cluster_.add_node("n2");
    cluster_.live(10s);
  }
  void taint(const std::string& node, std::string_view key) {
    k8s::Node updated = *cluster_.node(node);
    add_taint(*updated.mutable_spec()->mutable_taints(), make_taint(key, kNoExecute));
    ASSERT_TRUE(cluster_.update(std::move(updated)).ok());
  }
  void untaint(const std::string& node, std::string_view key) {
    k8s::Node updated = *cluster_.node(node);
    erase_taint(*updated.mutable_spec()->mutable_taints(), key, kNoExecute);
    ASSERT_TRUE(cluster_.update(std::move(updated)).ok());
  }
  /// Lets the node fall silent and runs until it has its NoExecute taint.
  void lose(const std::string& node) {
    cluster_.living.erase(node);
    for (int i = 0; i < 100 && !cluster_.taints(node).contains(kUnreachableNoExecute); ++i) {
      cluster_.live(1s);
    }
  }
  k8s::Pod tolerant(std::optional<int> seconds) {
    k8s::Pod pod = troupe::testing::pod("default", "a");
    *pod.mutable_spec()->add_tolerations() = toleration(kBroken, seconds);
    return pod;
  }

  NodeCluster cluster_;
};

TEST_F(TaintEvictionTest, PodsOfALostNodeAreDeletedFiveMinutesAfterItsTaint) {
  cluster_.create(replica_set("web", 1));
  cluster_.network.run_for(1s);
  cluster_.run_pod(*cluster_.pods()[0], "n1");
  const std::string name = cluster_.pods()[0]->metadata().name();
  lose("n1");
  cluster_.live(298s);
  EXPECT_FALSE(cluster_.is_leaving(name));
  EXPECT_THAT(cluster_.pods(), SizeIs(1));
  cluster_.live(3s);
  EXPECT_TRUE(cluster_.is_leaving(name));
  const auto* condition =
      find_condition(cluster_.pod(name)->status().conditions(), "DisruptionTarget");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason(), "DeletionByTaintManager");
  EXPECT_THAT(cluster_.event_reasons("Pod/default/" + name), Contains("TaintManagerEviction"));
  ASSERT_THAT(cluster_.network.facts_of<facts::PodEvicted>(), SizeIs(1));
  // It is still there, since no kubelet ends it; its replacement is too.
  cluster_.live(60s);
  EXPECT_THAT(cluster_.pods(), SizeIs(2));
  EXPECT_THAT(cluster_.active_pods(), SizeIs(1));
}

TEST_F(TaintEvictionTest, ANodeThatComesBackInTimeKeepsItsPods) {
  cluster_.add_pod("a", "n1");
  lose("n1");
  cluster_.live(290s);
  cluster_.living.insert("n1");
  cluster_.report("n1", "True");
  cluster_.live(600s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
  EXPECT_THAT(cluster_.event_reasons("Pod/default/a"), Contains("TaintManagerEviction"));
}

TEST_F(TaintEvictionTest, APodWithoutAFittingTolerationGoesAtOnce) {
  cluster_.add_pod("a", "n1");
  cluster_.add_pod("b", "n2");
  taint("n1", kBroken);
  cluster_.network.run_for(1s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
  EXPECT_FALSE(cluster_.is_leaving("b"));
}

TEST_F(TaintEvictionTest, APodStaysAsLongAsItsTolerationSays) {
  cluster_.add_pod("a", "n1", tolerant(30));
  taint("n1", kBroken);
  cluster_.live(29s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
  cluster_.live(2s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, APodThatToleratesForEverStays) {
  cluster_.add_pod("a", "n1", tolerant(std::nullopt));
  taint("n1", kBroken);
  cluster_.live(600s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, TheTimeBeginsAnewWithEachTaint) {
  cluster_.add_pod("a", "n1", tolerant(30));
  taint("n1", kBroken);
  cluster_.live(20s);
  untaint("n1", kBroken);
  cluster_.live(5s);
  taint("n1", kBroken);
  cluster_.live(29s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
  cluster_.live(2s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, AFurtherTaintDoesNotShortenTheTime) {
  k8s::Pod pod = tolerant(60);
  *pod.mutable_spec()->add_tolerations() = toleration("example.com/worse", 5);
  cluster_.add_pod("a", "n1", std::move(pod));
  taint("n1", kBroken);
  cluster_.live(10s);
  taint("n1", "example.com/worse");
  cluster_.live(20s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
  cluster_.live(31s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, APodThatComesToATaintedNodeHasItsTimeToo) {
  taint("n1", kBroken);
  cluster_.network.run_for(1s);
  cluster_.add_pod("a", "n1", tolerant(30));
  cluster_.live(29s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
  cluster_.live(2s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, APodThatIsMadeForATaintedNodeGoesAtOnce) {
  taint("n1", kBroken);
  cluster_.network.run_for(1s);
  k8s::Pod pod = troupe::testing::pod("default", "a");
  pod.mutable_spec()->set_node_name("n1");
  cluster_.create(std::move(pod));
  cluster_.network.run_for(1s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, ARestartedManagerGivesPodsTheirTimeAgain) {
  cluster_.add_pod("a", "n1", tolerant(60));
  taint("n1", kBroken);
  cluster_.live(40s);
  cluster_.network.crash(kManager);
  cluster_.network.restart(kManager);
  cluster_.live(58s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
  cluster_.live(4s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, ADeletionThatIsLostIsAskedForAgain) {
  cluster_.add_pod("a", "n1");
  int lost = 0;
  cluster_.network.lose = [&lost](const troupe::testing::Wire& wire) {
    const auto* request = wire.what.as<api::ApiRequest>();
    return request != nullptr && request->verb() == api::DELETE && lost++ < 1;
  };
  taint("n1", kBroken);
  cluster_.live(9s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
  cluster_.live(3s);
  EXPECT_TRUE(cluster_.is_leaving("a"));
}

TEST_F(TaintEvictionTest, AnotherPodOfTheSameNameIsSpared) {
  cluster_.add_pod("a", "n1", tolerant(30));
  taint("n1", kBroken);
  cluster_.live(20s);
  // The manager hears of nothing while the pod is replaced by one on another node.
  cluster_.network.latency = [](const auto& wire) {
    return wire.what.template as<api::WatchEvent>() != nullptr ? Duration(20s) : Duration(1ms);
  };
  cluster_.remove(key_for<k8s::Pod>("default/a"), {.grace_period_seconds = 0});
  cluster_.add_pod("a", "n2");
  cluster_.live(15s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
}

}  // namespace
}  // namespace troupe::workloads
