// How nodes end in a cluster: drains that a budget holds up, drains with a deadline, and a process
// that dies in the middle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/k8s/policy.pb.h"
#include "tests/actors/karpenter/karpenter_world.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A budget over the pods with app=web.
k8s::PodDisruptionBudget web_budget() {
  k8s::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_name("web");
  budget.mutable_metadata()->set_namespace_("default");
  set_label(*budget.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "web");
  return budget;
}

k8s::Pod web_pod() {
  k8s::Pod pod = gpu_pod("p", 2);
  set_label(*pod.mutable_metadata()->mutable_labels(), "app", "web");
  return pod;
}

bool is_tainted(const k8s::Node& node) {
  return find_taint(node.spec().taints(), kDisruptedTaint, kNoSchedule) != nullptr;
}

TEST(DrainInCluster, ABudgetHoldsADrainUpWhileAReplacementIsMade) {
  World world;
  k8s::PodDisruptionBudget budget = web_budget();
  budget.mutable_spec()->set_min_available("1");
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(web_pod()), Payload::of(budget)};
  world.begin();
  world.run_until(2min);
  world.remove(key_of(*world.all<NodeClaim>().at(0)), 2min);
  world.run_until(5min);
  EXPECT_EQ(world.count<facts::PodEvicted>(), 0U);
  EXPECT_EQ(world.count<facts::InstanceTerminated>(), 0U);
  EXPECT_EQ(world.count<facts::NodeClaimCreated>(), 2U);
  ASSERT_THAT(world.all<k8s::Pod>(), SizeIs(1));

  world.remove(key_for<k8s::PodDisruptionBudget>("default", "web"), 5min);
  world.run_until(6min);
  EXPECT_EQ(world.count<facts::PodEvicted>(), 1U);
  EXPECT_EQ(world.count<facts::InstanceTerminated>(), 1U);
}

TEST(DrainInCluster, TheDeadlineOfTheNodeEndsWhatABudgetProtects) {
  World world;
  NodePool pool = pool_of("gpu", "g8");
  pool.mutable_spec()->mutable_template_()->mutable_spec()->set_termination_grace_period("2m");
  k8s::PodDisruptionBudget budget = web_budget();
  budget.mutable_spec()->set_max_unavailable("0");
  world.initial = {Payload::of(pool), Payload::of(web_pod()), Payload::of(budget)};
  world.begin();
  world.run_until(2min);
  world.remove(key_of(*world.all<NodeClaim>().at(0)), 2min);
  world.run_until(6min);
  EXPECT_EQ(world.count<facts::PodEvicted>(), 0U);
  ASSERT_EQ(world.count<facts::PodDeletionRequested>(), 1U);
  // The pod's own 30 s before the node's end.
  const SimTime told = world.facts<facts::PodDeletionRequested>().at(0).first;
  EXPECT_GE(told, at(4min - 30s));
  EXPECT_LE(told, at(4min - 25s));
  EXPECT_EQ(world.count<facts::InstanceTerminated>(), 1U);
  // A pod that can never be evicted asks for no capacity elsewhere.
  EXPECT_EQ(world.count<facts::NodeClaimCreated>(), 1U);
}

// The pod goes at 2 min; the node becomes consolidatable at 3 min; its end is validated at about
// 3 min 25 s, and the instance is gone 25 s later.
class RestartInADisruption : public ::testing::TestWithParam<int> {};

TEST_P(RestartInADisruption, TheNodeIsTakenAwayAllTheSame) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.remove(key_for<k8s::Pod>("default", "p"), 2min);
  world.restart_karpenter(3min + Duration(GetParam() * 1ms), 5s);
  world.run_until(8min);
  EXPECT_EQ(world.count<facts::InstanceTerminated>(), 1U);
  EXPECT_THAT(world.all<NodeClaim>(), IsEmpty());
  EXPECT_THAT(world.all<k8s::Node>(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(AtAnyMoment, RestartInADisruption,
                         ::testing::Values(5000, 20000, 21500, 25100, 25110, 25130, 25500, 26000,
                                           30000, 35000, 50000));

TEST(DrainInCluster, ATaintThatADeadProcessLeftIsTakenOff) {
  World world;
  NodePool pool = pool_of("gpu", "g8");
  pool.mutable_spec()->mutable_disruption()->set_consolidate_after("Never");
  world.initial = {Payload::of(pool), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(2min);
  k8s::Node left = *world.all<k8s::Node>().at(0);
  ASSERT_FALSE(is_tainted(left));
  left.mutable_metadata()->clear_resource_version();
  *left.mutable_spec()->add_taints() = make_taint(kDisruptedTaint, kNoSchedule);
  world.tell(kUser, Payload::of(left), 2min + 3s);
  world.run_until(2min + 3100ms);
  ASSERT_TRUE(is_tainted(*world.all<k8s::Node>().at(0)));
  world.run_until(2min + 15s);
  EXPECT_FALSE(is_tainted(*world.all<k8s::Node>().at(0)));
}

}  // namespace
}  // namespace troupe::karpenter
