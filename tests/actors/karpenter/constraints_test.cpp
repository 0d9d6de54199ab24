// Cases C9, C11, C14 and C15: taints, preferences, topology and the zones of volumes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/karpenter/scheduling/simulation.h"
#include "tests/actors/karpenter/fixtures.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ConstraintsTest : public ::testing::Test {
 protected:
  SimulationResult solve(std::vector<SimulatedPod> pods) {
    simulation_ = std::make_unique<Simulation>(SimulationInput{.pools = {share(pool_)},
                                                               .types = catalogue_.types(),
                                                               .nodes = nodes_,
                                                               .bound = bound_,
                                                               .daemons = {}});
    return simulation_->solve(std::move(pods));
  }
  std::vector<std::string> zones(const SimulationResult& result) {
    std::vector<std::string> zones;
    for (const PlannedClaim& claim : result.claims) {
      const ValueSet zone = claim.requirements().get(kZoneLabel);
      zones.push_back(zone.is_single() ? zone.values().front() : "*");
    }
    return zones;
  }

  InstanceCatalogue catalogue_{general_purpose()};
  NodePool pool_ = node_pool("p");
  std::vector<StateNode> nodes_;
  std::vector<BoundPod> bound_;
  std::unique_ptr<Simulation> simulation_;
};

TEST_F(ConstraintsTest, AStartupTaintKeepsNoPodFromANewNode) {  // C9
  *pool_.mutable_spec()->mutable_template_()->mutable_spec()->add_startup_taints() =
      make_taint("x", kNoSchedule);
  const SimulationResult result = solve(simulated({pending_pod("a")}));
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_EQ(result.claims[0].to_claim().spec().startup_taints(0).key(), "x");
}

TEST_F(ConstraintsTest, AStartupTaintOnANodeThatIsStartingKeepsNoPodAway) {  // C9
  NodeClaim claim = launched_claim("p-1", "p", *catalogue_.find("c4"));
  *claim.mutable_spec()->add_startup_taints() = make_taint("x", kNoSchedule);
  StateNode starting = state_node(claim);
  k8s::Node node = *starting.node;
  erase_label(*node.mutable_metadata()->mutable_labels(), kInitializedLabel);
  *node.mutable_spec()->add_taints() = make_taint("x", kNoSchedule);
  *node.mutable_spec()->add_taints() = make_taint(kNotReadyTaint, kNoSchedule);
  starting.node = share(node);
  nodes_.push_back(starting);
  const SimulationResult result = solve(simulated({pending_pod("a")}));
  EXPECT_THAT(result.claims, IsEmpty());
  EXPECT_THAT(result.nodes[0].pods(), SizeIs(1));
}

TEST_F(ConstraintsTest, AnOrdinaryTaintOfThePoolKeepsThePodAway) {  // C9
  taint_pool(pool_, "x", kNoSchedule);
  const SimulationResult result = solve(simulated({pending_pod("a")}));
  EXPECT_THAT(result.claims, IsEmpty());
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].reason, "did not tolerate taint (taint=x:NoSchedule)");
}

void prefer_zone(k8s::Pod& pod, const std::string& zone, int weight) {
  auto& term = *pod.mutable_spec()
                    ->mutable_affinity()
                    ->mutable_node_affinity()
                    ->add_preferred_during_scheduling_ignored_during_execution();
  term.set_weight(weight);
  auto& expression = *term.mutable_preference()->add_match_expressions();
  expression.set_key(std::string(kZoneLabel));
  expression.set_operator_("In");
  expression.add_values(zone);
}

TEST_F(ConstraintsTest, TheHeaviestImpossiblePreferenceIsDroppedFirst) {  // C11
  k8s::Pod pod = pending_pod("a");
  prefer_zone(pod, "zone-z", 100);
  prefer_zone(pod, "zone-a", 1);
  EXPECT_THAT(zones(solve(simulated({pod}))), ElementsAre("zone-a"));
}

TEST_F(ConstraintsTest, ATolerationOfPreferNoScheduleComesLast) {  // C11
  taint_pool(pool_, "busy", kPreferNoSchedule);
  k8s::Pod pod = pending_pod("a");
  prefer_zone(pod, "zone-z", 100);
  SimulatedPod relaxed(share(pod), {});
  EXPECT_EQ(relaxed.relax(true), "preferred node affinity term");
  EXPECT_EQ(relaxed.relax(true), "no toleration of PreferNoSchedule taints");
  EXPECT_EQ(relaxed.relax(true), std::nullopt);
  EXPECT_THAT(solve(simulated({pod})).claims, SizeIs(1));
}

void require_zone_term(k8s::Pod& pod, const std::string& zone) {
  auto& expression = *pod.mutable_spec()
                          ->mutable_affinity()
                          ->mutable_node_affinity()
                          ->mutable_required_during_scheduling_ignored_during_execution()
                          ->add_node_selector_terms()
                          ->add_match_expressions();
  expression.set_key(std::string(kZoneLabel));
  expression.set_operator_("In");
  expression.add_values(zone);
}

TEST_F(ConstraintsTest, TheSecondOfTwoRequiredTermsIsUsedWhereTheFirstIsImpossible) {  // C11
  k8s::Pod pod = pending_pod("a");
  require_zone_term(pod, "zone-z");
  require_zone_term(pod, "zone-b");
  EXPECT_THAT(zones(solve(simulated({pod}))), ElementsAre("zone-b"));
}

TEST_F(ConstraintsTest, ASingleRequiredTermIsNeverGivenUp) {  // C11
  k8s::Pod pod = pending_pod("a");
  require_zone_term(pod, "zone-z");
  EXPECT_THAT(solve(simulated({pod})).claims, IsEmpty());
}

k8s::Pod spread_pod(const std::string& name, std::string_view key, const PodSpecs& what) {
  k8s::Pod pod = pending_pod(name, what);
  auto& spread = *pod.mutable_spec()->add_topology_spread_constraints();
  spread.set_max_skew(1);
  spread.set_topology_key(std::string(key));
  spread.set_when_unsatisfiable("DoNotSchedule");
  set_label(*spread.mutable_label_selector()->mutable_match_labels(), "app", "web");
  return pod;
}

TEST_F(ConstraintsTest, ASpreadOverZonesFillsTheEmptiestZoneFirst) {  // C14
  const PodSpecs node_sized{.cpu = "7"};
  const auto result = solve(simulated(
      {spread_pod("a", kZoneLabel, node_sized), spread_pod("b", kZoneLabel, node_sized),
       spread_pod("c", kZoneLabel, node_sized), spread_pod("d", kZoneLabel, node_sized)}));
  EXPECT_THAT(zones(result), UnorderedElementsAre("zone-a", "zone-a", "zone-b", "zone-c"));
}

TEST_F(ConstraintsTest, ASpreadOverHostsMakesANodeForEachPod) {  // C14
  const auto result = solve(simulated({spread_pod("a", kHostnameLabel, {.cpu = "100m"}),
                                       spread_pod("b", kHostnameLabel, {.cpu = "100m"}),
                                       spread_pod("c", kHostnameLabel, {.cpu = "100m"})}));
  EXPECT_THAT(result.claims, SizeIs(3));
}

TEST_F(ConstraintsTest, RunningPodsCountInASpread) {
  const NodeClaim claim = launched_claim("p-1", "p", *catalogue_.find("c2"));
  StateNode full = state_node(claim);
  full.pod_requests.set(kCpu, 1900);
  nodes_.push_back(full);
  bound_.push_back({share(bound_pod("old", "p-1")), full.node});
  const auto result =
      solve(simulated({spread_pod("a", kZoneLabel, {}), spread_pod("b", kZoneLabel, {})}));
  EXPECT_THAT(zones(result), UnorderedElementsAre("zone-b", "zone-c"));
}

TEST_F(ConstraintsTest, ARunningPodsAntiAffinityKeepsOthersOffItsZone) {
  const NodeClaim claim = launched_claim("p-1", "p", *catalogue_.find("c2"));
  StateNode node = state_node(claim);
  nodes_.push_back(node);
  k8s::Pod hermit = bound_pod("hermit", "p-1");
  auto& term = *hermit.mutable_spec()
                    ->mutable_affinity()
                    ->mutable_pod_anti_affinity()
                    ->add_required_during_scheduling_ignored_during_execution();
  term.set_topology_key(std::string(kZoneLabel));
  set_label(*term.mutable_label_selector()->mutable_match_labels(), "app", "web");
  bound_.push_back({share(hermit), node.node});
  const auto result = solve(simulated({pending_pod("a")}));
  ASSERT_THAT(result.claims, SizeIs(1));
  EXPECT_FALSE(result.claims[0].requirements().get(kZoneLabel).has("zone-a"));
}

Requirements in_zone(const std::string& zone) {
  Requirements volume;
  volume.add(ValueSet(kZoneLabel, Operator::In, {zone}));
  return volume;
}

TEST_F(ConstraintsTest, ABoundVolumeTakesItsNodeToItsZone) {  // C15
  std::vector<SimulatedPod> pods;
  pods.emplace_back(share(pending_pod("a")), std::vector{in_zone("zone-b")});
  EXPECT_THAT(zones(solve(std::move(pods))), ElementsAre("zone-b"));
}

TEST_F(ConstraintsTest, TheZoneOfAVolumeIsNotGivenUp) {  // C15
  require(pool_, kZoneLabel, "In", {"zone-a"});
  std::vector<SimulatedPod> pods;
  pods.emplace_back(share(pending_pod("a")), std::vector{in_zone("zone-b")});
  const SimulationResult result = solve(std::move(pods));
  EXPECT_THAT(result.claims, IsEmpty());
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_THAT(result.failures[0].reason, HasSubstr("incompatible volume requirements"));
}

TEST_F(ConstraintsTest, APodWhosePreferencesWereGivenUpInVainHasThemBack) {
  // "b" prefers zone-z, which is impossible, and needs zone-a; the pool only has zone-b: it fails,
  // unharmed.
  require(pool_, kZoneLabel, "In", {"zone-b"});
  k8s::Pod pod = pending_pod("b");
  prefer_zone(pod, "zone-z", 1);
  set_label(*pod.mutable_spec()->mutable_node_selector(), kZoneLabel, "zone-a");
  const SimulationResult result = solve(simulated({pod, pending_pod("a")}));
  EXPECT_THAT(result.claims, SizeIs(1));
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].pod->metadata().name(), "b");
}

}  // namespace
}  // namespace troupe::karpenter
