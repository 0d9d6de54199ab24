#include <gtest/gtest.h>

#include "actors/kube_scheduler/cluster_event.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kube_scheduler {
namespace {

using scheduling::Plugin;
using testing::NodeBuilder;
using testing::PodBuilder;
using Kind = ClusterEvent::Kind;

class HintsTest : public ::testing::Test {
 protected:
  static ClusterEvent node_added(const NodeBuilder& node) {
    return {.kind = Kind::NodeAdded, .node = scheduling::facts_of(node.share())};
  }
  static ClusterEvent node_changed(const NodeBuilder& before, const NodeBuilder& after) {
    return {.kind = Kind::NodeChanged,
            .node_before = scheduling::facts_of(before.share()),
            .node = scheduling::facts_of(after.share())};
  }
  ClusterEvent pod_event(Kind kind, const PodBuilder& pod) {
    return {.kind = kind, .pod = scheduling::make_pod_info(pod.share(), classes_)};
  }
  bool helps(const ClusterEvent& event, Plugin plugin, const PodBuilder& pod) {
    return may_help(event, scheduling::bit(plugin),
                    *scheduling::make_pod_info(pod.share(), classes_));
  }

 private:
  scheduling::LabelClasses classes_;
};

TEST_F(HintsTest, ANodeThatIsLargeEnoughHelpsAPodThatDidNotFit) {
  EXPECT_TRUE(helps(node_added(NodeBuilder("n").gpus(8)), Plugin::NodeResourcesFit,
                    PodBuilder("p").gpus(8)));
  EXPECT_FALSE(helps(node_added(NodeBuilder("n").gpus(4)), Plugin::NodeResourcesFit,
                     PodBuilder("p").gpus(8)));
}

TEST_F(HintsTest, GpusThatBecomeAllocatableHelp) {
  EXPECT_TRUE(helps(node_changed(NodeBuilder("n"), NodeBuilder("n").gpus(8)),
                    Plugin::NodeResourcesFit, PodBuilder("p").gpus(1)));
  EXPECT_FALSE(helps(node_changed(NodeBuilder("n").gpus(8), NodeBuilder("n").gpus(8)),
                     Plugin::NodeResourcesFit, PodBuilder("p").gpus(1)));
}

TEST_F(HintsTest, APodThatGoesHelpsWhoDidNotFit) {
  EXPECT_TRUE(helps(pod_event(Kind::PodRemoved, PodBuilder("gone").on("n")),
                    Plugin::NodeResourcesFit, PodBuilder("p").gpus(1)));
  EXPECT_FALSE(helps(pod_event(Kind::PodAssigned, PodBuilder("new").on("n")),
                     Plugin::NodeResourcesFit, PodBuilder("p").gpus(1)));
}

TEST_F(HintsTest, ATaintThatIsLiftedHelpsWhomItKeptAway) {
  const NodeBuilder tainted = NodeBuilder("n").taint("gpu", "", "NoSchedule");
  EXPECT_TRUE(
      helps(node_changed(tainted, NodeBuilder("n")), Plugin::TaintToleration, PodBuilder("p")));
  EXPECT_FALSE(
      helps(node_changed(NodeBuilder("n"), tainted), Plugin::TaintToleration, PodBuilder("p")));
}

TEST_F(HintsTest, AnUncordonedNodeHelps) {
  EXPECT_TRUE(helps(node_changed(NodeBuilder("n").cordoned(), NodeBuilder("n")),
                    Plugin::NodeUnschedulable, PodBuilder("p")));
}

TEST_F(HintsTest, ALabelThatTheSelectorNamesHelps) {
  const PodBuilder pod = PodBuilder("p").selects("pool", "a");
  EXPECT_TRUE(helps(node_changed(NodeBuilder("n"), NodeBuilder("n").label("pool", "a")),
                    Plugin::NodeAffinity, pod));
  EXPECT_FALSE(helps(node_changed(NodeBuilder("n"), NodeBuilder("n").label("pool", "b")),
                     Plugin::NodeAffinity, pod));
}

TEST_F(HintsTest, APodThatTheAffinityWantsHelpsWhenItComes) {
  const PodBuilder pod = PodBuilder("p").needs_app("cache", "kubernetes.io/hostname");
  EXPECT_TRUE(helps(pod_event(Kind::PodAssigned, PodBuilder("c").label("app", "cache").on("n")),
                    Plugin::InterPodAffinity, pod));
  EXPECT_FALSE(helps(pod_event(Kind::PodAssigned, PodBuilder("c").label("app", "web").on("n")),
                     Plugin::InterPodAffinity, pod));
}

TEST_F(HintsTest, APodThatWasRefusedHelpsWhenItGoes) {
  const PodBuilder pod = PodBuilder("p").refuses_app("noisy", "kubernetes.io/hostname");
  EXPECT_TRUE(helps(pod_event(Kind::PodRemoved, PodBuilder("x").label("app", "noisy").on("n")),
                    Plugin::InterPodAffinity, pod));
}

TEST_F(HintsTest, AHeartbeatIsNoEvent) {
  const auto before = scheduling::facts_of(NodeBuilder("n").gpus(8).share());
  const auto after = scheduling::facts_of(NodeBuilder("n").gpus(8).image("i", 1).share());
  EXPECT_FALSE(is_relevant(*before, *after));
  EXPECT_TRUE(is_relevant(*before, *scheduling::facts_of(NodeBuilder("n").gpus(7).share())));
}

}  // namespace
}  // namespace troupe::kube_scheduler
