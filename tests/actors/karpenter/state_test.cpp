// Cases C3 and C21, and the rules about pods: who needs capacity, who may be moved, when the
// picture is complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/karpenter/state/cluster_state.h"
#include "actors/karpenter/state/pod_rules.h"
#include "tests/actors/karpenter/fixtures.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PodRules, OnlyAPodThatTheSchedulerRefusedIsProvisionable) {  // C3
  k8s::Pod pod = pending_pod("a");
  EXPECT_TRUE(is_provisionable(pod));
  pod.mutable_status()->clear_conditions();
  EXPECT_FALSE(is_provisionable(pod));
  set_condition(*pod.mutable_status()->mutable_conditions(),
                {"PodScheduled", "False", "SchedulingGated"}, kTimeZero);
  EXPECT_FALSE(is_provisionable(pod));
}

TEST(PodRules, APodThatPreemptsIsBoundOrBelongsToADaemonSetIsNot) {  // C3
  k8s::Pod preempting = pending_pod("a");
  preempting.mutable_status()->set_nominated_node_name("n1");
  EXPECT_FALSE(is_provisionable(preempting));
  k8s::Pod daemon = pending_pod("b");
  daemon.mutable_metadata()->mutable_owner_references(0)->set_kind("DaemonSet");
  EXPECT_FALSE(is_provisionable(daemon));
  EXPECT_FALSE(is_provisionable(bound_pod("c", "n1")));
}

TEST(PodRules, ProtectionMayLastAWhile) {
  k8s::Pod pod = bound_pod("a", "n1");
  auto& annotations = *pod.mutable_metadata()->mutable_annotations();
  set_label(annotations, kDoNotDisruptAnnotation, "30m");
  EXPECT_TRUE(is_protected(pod, at(29min)));
  EXPECT_FALSE(is_protected(pod, at(30min)));
  set_label(annotations, kDoNotDisruptAnnotation, "true");
  EXPECT_TRUE(is_protected(pod, at(24h)));
  set_label(annotations, kDoNotDisruptAnnotation, "banana");
  EXPECT_FALSE(is_protected(pod, at(0s)));
}

class ClusterStateTest : public ::testing::Test {
 protected:
  InstanceCatalogue catalogue_{general_purpose()};
  ClusterState state_;
  NodeClaim claim_ = launched_claim("p-1", "p", *catalogue_.find("c4"));
};

TEST_F(ClusterStateTest, IsNotSyncedWhileAClaimHasNoInstance) {  // C21
  EXPECT_TRUE(state_.synced());
  state_.expect_claim("p-1");
  EXPECT_FALSE(state_.synced());
  state_.set_claim(share(claim_));
  EXPECT_TRUE(state_.synced());
  NodeClaim hanging;
  hanging.mutable_metadata()->set_name("p-2");
  state_.set_claim(share(hanging));
  EXPECT_FALSE(state_.synced());
  state_.erase_claim("p-2");
  EXPECT_TRUE(state_.synced());
}

TEST_F(ClusterStateTest, JoinsNodeAndClaimByProviderId) {
  state_.set_claim(share(claim_));
  state_.set_node(share(node_of(claim_)));
  const std::vector<StateNode> nodes = state_.nodes();
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_TRUE(nodes[0].initialized());
  state_.erase_node("p-1");
  ASSERT_THAT(state_.nodes(), SizeIs(1));
  EXPECT_FALSE(state_.nodes()[0].initialized());
  state_.erase_claim("p-1");
  EXPECT_THAT(state_.nodes(), IsEmpty());
}

TEST_F(ClusterStateTest, CountsPodsOnTheNodeTheyAreBoundTo) {
  state_.set_pod(share(bound_pod("a", "p-1", {.cpu = "500m"})));  // before its node is known
  state_.set_claim(share(claim_));
  state_.set_node(share(node_of(claim_)));
  EXPECT_EQ(state_.nodes()[0].available().get(kCpu), 3900 - 500);
  state_.set_pod(share(bound_pod("b", "p-1", {.cpu = "1"})));
  EXPECT_EQ(state_.nodes()[0].available().get(kCpu), 3900 - 1500);
  k8s::Pod finished = bound_pod("b", "p-1", {.cpu = "1"});
  finished.mutable_status()->set_phase("Succeeded");
  state_.set_pod(share(finished));
  state_.erase_pod("default/a");
  EXPECT_EQ(state_.nodes()[0].available().get(kCpu), 3900);
}

TEST_F(ClusterStateTest, PodsOfANodeThatGoesNeedAnotherPlaceUnlessTheyCannotMove) {
  state_.set_claim(share(claim_));
  state_.set_node(share(node_of(claim_)));
  state_.set_pod(share(bound_pod("free", "p-1")));
  k8s::Pod kept = bound_pod("kept", "p-1");
  set_label(*kept.mutable_metadata()->mutable_annotations(), kDoNotDisruptAnnotation, "true");
  state_.set_pod(share(kept));
  k8s::Pod guarded = bound_pod("guarded", "p-1");
  set_label(*guarded.mutable_metadata()->mutable_labels(), "app", "db");
  state_.set_pod(share(guarded));
  k8s::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_namespace_("default");
  budget.mutable_spec()->set_max_unavailable("0");
  set_label(*budget.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "db");
  const DisruptionLimits limits({share(budget)});
  EXPECT_THAT(state_.pods_to_move(limits, at(0s)), IsEmpty());
  state_.mark_for_deletion("id-p-1", true);
  const auto moving = state_.pods_to_move(limits, at(0s));
  ASSERT_THAT(moving, SizeIs(1));
  EXPECT_EQ(moving[0]->metadata().name(), "free");
}

TEST_F(ClusterStateTest, SumsTheCapacityOfAPool) {
  state_.set_claim(share(claim_));
  state_.set_claim(share(launched_claim("p-2", "p", *catalogue_.find("c8"))));
  EXPECT_EQ(state_.pool_usage("p").get(kCpu), 12'000);
  EXPECT_EQ(state_.pool_usage("p").get(kNodes), 2);
  EXPECT_EQ(state_.pool_usage("other").get(kCpu), 0);
}

}  // namespace
}  // namespace troupe::karpenter
