// Pods that nobody else removes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/objects/metadata.h"
#include "actors/workloads/pod_gc/plan.h"
#include "tests/actors/workloads/node_cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using troupe::testing::PodBuilder;

std::vector<std::string> names(const std::vector<PodPtr>& pods) {
  std::vector<std::string> result;
  for (const PodPtr& pod : pods) result.push_back(pod->metadata().name());
  return result;
}

TEST(EndedPods, EvictedOnesGoFirstThenTheOldest) {
  PodCache pods;
  const auto add = [&pods](const std::string& name, SimTime created, const std::string& phase) {
    PodBuilder pod(name);
    pod.on("n", phase).created(created);
    if (name == "evicted") pod.raw().mutable_status()->set_reason("Evicted");
    pods["default/" + name] = pod.share();
  };
  add("running", at(0s), "Running");
  add("old", at(1s), "Succeeded");
  add("young", at(3s), "Failed");
  add("evicted", at(2s), "Failed");
  EXPECT_THAT(names(ended_pods_beyond(pods, 0)), ElementsAre("evicted", "old", "young"));
  EXPECT_THAT(names(ended_pods_beyond(pods, 2)), ElementsAre("evicted"));
  EXPECT_THAT(ended_pods_beyond(pods, 3), IsEmpty());
}

TEST(MissingNodes, AreNamedAfterTheirQuarantine) {
  MissingNodes missing;
  PodsByNode pods;
  NodeCache nodes;
  pods.set(PodBuilder("a").on("gone").share());
  pods.set(PodBuilder("b").on("there").share());
  nodes["there"] = NodeBuilder("there").share();
  EXPECT_THAT(missing.look(pods, nodes, at(0s)), IsEmpty());
  EXPECT_THAT(missing.look(pods, nodes, at(39s)), IsEmpty());
  EXPECT_THAT(missing.look(pods, nodes, at(40s)), ElementsAre("gone"));
  EXPECT_THAT(missing.look(pods, nodes, at(60s)), IsEmpty());  // its quarantine has begun again
  nodes["gone"] = NodeBuilder("gone").share();
  EXPECT_THAT(missing.look(pods, nodes, at(200s)), IsEmpty());
}

class PodGcTest : public ::testing::Test {
 protected:
  PodGcTest() {
    cluster_.add_node("n1");
    cluster_.add_node("n2");
    cluster_.live(10s);
  }
  /// A pod that stays to be looked at when everybody else is done with it.
  static k8s::Pod kept() {
    k8s::Pod pod = troupe::testing::pod("default", "a");
    add_finalizer(*pod.mutable_metadata(), "example.com/keep");
    return pod;
  }
  void drop_node(const std::string& name) {
    cluster_.living.erase(name);
    ASSERT_TRUE(cluster_.remove(key_for<k8s::Node>(name)).ok());
  }
  static hosts::WorkloadControllersConfig few_ended() {
    hosts::WorkloadControllersConfig config = NodeCluster::quick();
    config.set_terminated_pod_threshold(3);
    return config;
  }

  NodeCluster cluster_{few_ended()};
};

TEST_F(PodGcTest, PodsOfAVanishedNodeAreRemovedAfterAQuarantine) {
  cluster_.add_pod("a", "n1");
  cluster_.add_pod("b", "n2");
  drop_node("n1");
  cluster_.live(39s);
  EXPECT_NE(cluster_.pod("a"), nullptr);
  cluster_.live(42s);  // the quarantine begins and ends at a pass, one of which comes every 20 s
  EXPECT_EQ(cluster_.pod("a"), nullptr);
  EXPECT_NE(cluster_.pod("b"), nullptr);
}

TEST_F(PodGcTest, APodThatIsRemovedHasFailedAndSaysWhy) {
  cluster_.add_pod("a", "n1", kept());
  drop_node("n1");
  cluster_.live(81s);
  ASSERT_TRUE(cluster_.is_leaving("a"));
  EXPECT_EQ(cluster_.pod("a")->status().phase(), "Failed");
  EXPECT_EQ(cluster_.pod("a")->metadata().deletion_grace_period_seconds(), 0);
  const auto* condition =
      find_condition(cluster_.pod("a")->status().conditions(), "DisruptionTarget");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason(), "DeletionByPodGC");
}

TEST_F(PodGcTest, ANodeThatComesBackWithinTheQuarantineKeepsItsPods) {
  cluster_.add_pod("a", "n1");
  drop_node("n1");
  cluster_.live(30s);
  cluster_.add_node("n1");
  cluster_.live(100s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
}

TEST_F(PodGcTest, ANodeThatOnlyTheCacheDoesNotKnowIsNotMissing) {
  cluster_.network.latency = [](const auto& wire) {
    const bool of_node = wire.what.template as<api::WatchEvent>() != nullptr &&
                         !wire.what.attachments().empty() &&
                         wire.what.attachments()[0].template as<k8s::Node>() != nullptr;
    return of_node ? Duration(300s) : Duration(1ms);
  };
  cluster_.add_node("n3");
  cluster_.add_pod("a", "n3");
  cluster_.live(120s);
  EXPECT_FALSE(cluster_.is_leaving("a"));
}

TEST_F(PodGcTest, ALeavingPodWithoutANodeIsRemoved) {
  cluster_.create(kept());
  cluster_.remove(key_for<k8s::Pod>("default/a"));
  EXPECT_EQ(cluster_.pod("a")->status().phase(), "Pending");
  cluster_.live(21s);
  EXPECT_EQ(cluster_.pod("a")->status().phase(), "Failed");
}

TEST_F(PodGcTest, ALeavingPodOfANodeOutOfServiceNeedNotWaitForItsKubelet) {
  cluster_.add_pod("a", "n1");
  cluster_.living.erase("n1");
  cluster_.live(70s);
  cluster_.remove(key_for<k8s::Pod>("default/a"));
  cluster_.live(60s);
  EXPECT_NE(cluster_.pod("a"), nullptr);
  k8s::Node node = *cluster_.node("n1");
  add_taint(*node.mutable_spec()->mutable_taints(),
            make_taint("node.kubernetes.io/out-of-service", kNoExecute, "nodeshutdown"));
  cluster_.update(std::move(node));
  cluster_.live(22s);
  EXPECT_EQ(cluster_.pod("a"), nullptr);
}

TEST_F(PodGcTest, OfTheManyThatHaveEndedTheOldestGo) {
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    cluster_.add_pod(name, "n1");
    cluster_.set_pod(*cluster_.pod(name), "Succeeded", false);
    cluster_.network.run_for(2s);
  }
  cluster_.live(21s);
  std::vector<std::string> left;
  for (const auto& pod : cluster_.pods()) left.push_back(pod->metadata().name());
  EXPECT_THAT(left, ElementsAre("c", "d", "e"));
}

}  // namespace
}  // namespace troupe::workloads
