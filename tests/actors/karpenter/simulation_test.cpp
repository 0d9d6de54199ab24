// Cases C4, C6, C8, C12 and C13: which pool, which types, how much, and what is on its way already.
#include "actors/karpenter/scheduling/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actors/karpenter/fixtures.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SimulationTest : public ::testing::Test {
 protected:
  void pool(const NodePool& one) { pools_.push_back(share(one)); }

  SimulationResult solve(const std::vector<k8s::Pod>& pods) {
    simulation_ = std::make_unique<Simulation>(SimulationInput{.pools = pools_,
                                                               .types = catalogue_.types(),
                                                               .nodes = nodes_,
                                                               .bound = {},
                                                               .daemons = daemons_});
    return simulation_->solve(simulated(pods));
  }
  const InstanceType& type(std::string_view name) { return *catalogue_.find(name); }

  InstanceCatalogue catalogue_{general_purpose()};
  std::vector<std::shared_ptr<const NodePool>> pools_;
  std::vector<StateNode> nodes_;
  std::vector<std::shared_ptr<const k8s::Pod>> daemons_;
  std::unique_ptr<Simulation> simulation_;
};

TEST_F(SimulationTest, TheHeaviestPoolIsTaken) {  // C4
  pool(node_pool("light", 20));
  pool(node_pool("heavy", 100));
  pool(node_pool("middle", 50));
  const SimulationResult result = solve({pending_pod("a")});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_EQ(label_or(result.claims[0].to_claim().metadata().labels(), kNodePoolLabel), "heavy");
}

TEST_F(SimulationTest, APodMayNameItsPool) {  // C4
  pool(node_pool("light", 20));
  pool(node_pool("heavy", 100));
  k8s::Pod pod = pending_pod("a");
  set_label(*pod.mutable_spec()->mutable_node_selector(), kNodePoolLabel, "light");
  const SimulationResult result = solve({pod});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_EQ(result.claims[0].pool_template().name(), "light");
}

TEST_F(SimulationTest, PoolsThatAreNotReadyOrGoAwayAreLeftOut) {  // C4
  NodePool broken = node_pool("broken", 100);
  broken.mutable_status()->clear_conditions();
  NodePool leaving = node_pool("leaving", 90);
  leaving.mutable_metadata()->set_deletion_timestamp(1);
  pool(broken);
  pool(leaving);
  pool(node_pool("middle", 50));
  const SimulationResult result = solve({pending_pod("a")});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_EQ(result.claims[0].pool_template().name(), "middle");
}

TEST_F(SimulationTest, ALimitLeavesOnlyTypesBelowIt) {  // C6
  NodePool limited = node_pool("p");
  limit(limited, "cpu", 2);
  pool(limited);
  const SimulationResult result = solve({pending_pod("a", {.cpu = "1750m"})});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_THAT(type_names(result.claims[0]), ElementsAre("c2"));
}

TEST_F(SimulationTest, ALimitThatIsUsedUpRefusesInKarpentersWords) {  // C6
  NodePool limited = node_pool("p");
  limit(limited, "cpu", 2);
  pool(limited);
  StateNode full = state_node(launched_claim("n", "p", type("c2")));
  full.pod_requests = Resources::requested_by(pending_pod("a", {.cpu = "1750m"}));
  nodes_.push_back(full);
  const SimulationResult result = solve({pending_pod("b", {.cpu = "1750m"})});
  EXPECT_THAT(result.claims, IsEmpty());
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].reason,
            "all available instance types exceed limits for nodepool (NodePool=p)");
}

k8s::Pod lonely_pod(const std::string& name) {
  k8s::Pod pod = pending_pod(name);
  auto& term = *pod.mutable_spec()
                    ->mutable_affinity()
                    ->mutable_pod_anti_affinity()
                    ->add_required_during_scheduling_ignored_during_execution();
  term.set_topology_key(std::string(kHostnameLabel));
  set_label(*term.mutable_label_selector()->mutable_match_labels(), "app", "web");
  return pod;
}

TEST_F(SimulationTest, ALimitOnNodesHoldsBetweenLoops) {  // C8
  NodePool limited = node_pool("p");
  limit(limited, "nodes", 2);
  pool(limited);
  nodes_.push_back(state_node(launched_claim("n1", "p", type("c2"))));
  nodes_.push_back(state_node(launched_claim("n2", "p", type("c2"))));
  const SimulationResult result = solve({pending_pod("big", {.cpu = "3"})});
  EXPECT_THAT(result.claims, IsEmpty());
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].reason, "node limits have been exhausted for nodepool (NodePool=p)");
}

TEST_F(SimulationTest, ABatchMayPassTheLimitOnNodes) {  // C8
  NodePool limited = node_pool("p");
  limit(limited, "nodes", 2);
  pool(limited);
  EXPECT_THAT(solve({lonely_pod("a"), lonely_pod("b"), lonely_pod("c")}).claims, SizeIs(3));

  for (const char* name : {"n1", "n2", "n3"}) {
    nodes_.push_back(state_node(launched_claim(name, "p", type("c2"))));
  }
  const SimulationResult later = solve({pending_pod("big", {.cpu = "3"})});
  ASSERT_THAT(later.failures, SizeIs(1));
  EXPECT_EQ(later.failures[0].reason,
            "all available instance types exceed limits for nodepool (NodePool=p)");
}

TEST_F(SimulationTest, ThePoolOfALimitedBatchMayNeedSeveralLoops) {
  NodePool limited = node_pool("p");
  limit(limited, "cpu", 10);
  pool(limited);
  // The first claim may become a c8, so only 2 cores are left for the second, though 2 c4 would do.
  const SimulationResult result = solve({lonely_pod("a"), lonely_pod("b")});
  ASSERT_THAT(result.claims, SizeIs(2));
  EXPECT_THAT(type_names(result.claims[1]), ElementsAre("c2"));
}

k8s::Pod daemon_pod(const std::string& name, const PodSpecs& what) {
  k8s::Pod pod;
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_namespace_("kube-system");
  request(*pod.mutable_spec(), what);
  return pod;
}

TEST_F(SimulationTest, DaemonsAreRoomThatIsTaken) {  // C12
  pool(node_pool("p"));
  daemons_.push_back(share(daemon_pod("agent", {})));
  const SimulationResult result = solve({pending_pod("a")});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_THAT(type_names(result.claims[0]), ElementsAre("c4", "c8"));
  EXPECT_EQ(result.claims[0].requests().get(kCpu), 2000);
}

TEST_F(SimulationTest, DaemonsCountOnceForManyPods) {  // C12
  pool(node_pool("p"));
  daemons_.push_back(share(daemon_pod("agent", {})));
  const SimulationResult result = solve({pending_pod("a"), pending_pod("b"), pending_pod("c")});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_EQ(result.claims[0].requests().get(kCpu), 4000);
  EXPECT_EQ(result.claims[0].requests().get(kPods), 4);
}

TEST_F(SimulationTest, ADaemonThatDoesNotTolerateThePoolIsNotCounted) {  // C12
  NodePool tainted = node_pool("p");
  taint_pool(tainted, "gpu", kNoSchedule);
  pool(tainted);
  daemons_.push_back(share(daemon_pod("agent", {})));
  k8s::Pod pod = pending_pod("a");
  k8s::Toleration& toleration = *pod.mutable_spec()->add_tolerations();
  toleration.set_key("gpu");
  toleration.set_operator_("Exists");
  const SimulationResult result = solve({pod});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_THAT(type_names(result.claims[0]), ElementsAre("c2", "c4", "c8"));
}

TEST_F(SimulationTest, ADaemonLargerThanEveryTypeShutsAllOut) {  // C12
  pool(node_pool("p"));
  daemons_.push_back(share(daemon_pod("agent", {.cpu = "16"})));
  const SimulationResult result = solve({pending_pod("a")});
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_THAT(result.failures[0].reason, HasSubstr("no instance type has enough resources"));
}

StateNode in_flight(const NodeClaim& claim) {
  StateNode state;
  state.claim = share(claim);
  return state;
}

TEST_F(SimulationTest, AClaimOnItsWayTakesMorePods) {  // C13
  pool(node_pool("p"));
  nodes_.push_back(in_flight(launched_claim("p-1", "p", type("c4"))));
  const SimulationResult result = solve({pending_pod("a"), pending_pod("b")});
  EXPECT_THAT(result.claims, IsEmpty());
  ASSERT_THAT(result.nodes, SizeIs(1));
  EXPECT_THAT(result.nodes[0].pods(), SizeIs(2));
}

TEST_F(SimulationTest, AClaimThatLooksWrongIsNoHome) {  // C13, the variant of bug B4
  pool(node_pool("p"));
  NodeClaim wrong = launched_claim("p-1", "p", type("c4"));
  *wrong.mutable_spec()->add_taints() = make_taint("odd", kNoSchedule);
  nodes_.push_back(in_flight(wrong));
  EXPECT_THAT(solve({pending_pod("a")}).claims, SizeIs(1));
}

TEST_F(SimulationTest, AGpuThatIsNotAllocatableYetIsTakenForPresent) {  // C20, bug B11
  hosts::KarpenterConfig config;
  add_type(config, "g8", 96, 512, 8);
  catalogue_ = InstanceCatalogue(config);
  pool(node_pool("p"));
  const NodeClaim claim = launched_claim("p-1", "p", type("g8"));
  k8s::Node node = node_of(claim);
  erase_label(*node.mutable_metadata()->mutable_labels(), kInitializedLabel);
  set_amount(*node.mutable_status()->mutable_allocatable(), "nvidia.com/gpu", Quantity());
  StateNode state;
  state.claim = share(claim);
  state.node = share(node);
  nodes_.push_back(state);
  const SimulationResult result =
      solve({pending_pod("a", {.gpus = 1}), pending_pod("b", {.gpus = 7})});
  EXPECT_THAT(result.claims, IsEmpty());
  EXPECT_THAT(result.nodes[0].pods(), SizeIs(2));
}

TEST_F(SimulationTest, PodsShareAClaimAsLongAsATypeHoldsThem) {
  pool(node_pool("p"));
  const SimulationResult result =
      solve({pending_pod("a", {.cpu = "3"}), pending_pod("b", {.cpu = "3"}),
             pending_pod("c", {.cpu = "3"})});
  ASSERT_THAT(result.claims, SizeIs(2));
  EXPECT_THAT(result.claims[0].pods(), SizeIs(2));
  EXPECT_THAT(type_names(result.claims[0]), ElementsAre("c8"));
  EXPECT_THAT(type_names(result.claims[1]), ElementsAre("c4", "c8"));
}

TEST_F(SimulationTest, AnUnavailableOfferingShutsItsTypeOut) {
  pool(node_pool("p"));
  UnavailableOfferings dry;
  for (const char* zone : {"zone-a", "zone-b", "zone-c"}) {
    for (const char* capacity_type : {"spot", "on-demand"})
      dry.mark({"c2", zone, capacity_type}, kTimeZero);
  }
  catalogue_.refresh(dry);
  const SimulationResult result = solve({pending_pod("a")});
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_THAT(type_names(result.claims[0]), ElementsAre("c4", "c8"));
}

TEST_F(SimulationTest, ATryBudgetEndsTheSimulationWithWhatWasPlaced) {
  pool(node_pool("p"));
  Simulation simulation({.pools = pools_,
                         .types = catalogue_.types(),
                         .nodes = {},
                         .bound = {},
                         .daemons = {},
                         .max_attempts = 2});
  const SimulationResult result =
      simulation.solve(simulated({lonely_pod("a"), lonely_pod("b"), lonely_pod("c")}));
  EXPECT_TRUE(result.timed_out);
  EXPECT_THAT(result.claims, SizeIs(2));
}

TEST_F(SimulationTest, AClaimCarriesWhatItsNodeWillBe) {
  NodePool gpu = node_pool("p");
  require(gpu, kCapacityTypeLabel, "In", {"on-demand"});
  require(gpu, "karpenter.k8s.aws/instance-cpu", "Gt", {"2"});
  require(gpu, "team", "In", {"red"});
  pool(gpu);
  k8s::Pod pod = pending_pod("a");
  set_label(*pod.mutable_spec()->mutable_node_selector(), "team", "red");
  const SimulationResult result = solve({pod});
  ASSERT_THAT(result.claims, SizeIs(1));
  const NodeClaim claim = result.claims[0].to_claim();
  EXPECT_EQ(claim.metadata().generate_name(), "p-");
  EXPECT_EQ(label_or(claim.metadata().labels(), "team"), "red");
  EXPECT_EQ(claim.metadata().owner_references(0).name(), "p");
  const Requirements wanted = Requirements::of(claim.spec().requirements());
  EXPECT_THAT(wanted.get(kInstanceTypeLabel).values(), ElementsAre("c4", "c8"));
  EXPECT_THAT(wanted.get(kCapacityTypeLabel).values(), ElementsAre("on-demand"));
  EXPECT_FALSE(wanted.has(kRegisteredLabel));
  EXPECT_FALSE(wanted.has(kHostnameLabel));
}

}  // namespace
}  // namespace troupe::karpenter
