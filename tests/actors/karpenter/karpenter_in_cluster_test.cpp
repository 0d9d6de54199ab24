// Karpenter as a process in a cluster: what pods, claims, nodes and instances go through together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actors/karpenter/karpenter_world.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

bool is_running(const k8s::Pod& pod) {
  return pod.status().phase() == "Running" && is_true(pod.status().conditions(), "Ready");
}

TEST(KarpenterInCluster, AnUnschedulableGpuPodGetsAClaimAnInstanceAndAPlace) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(2min);

  const auto claims = world.all<NodeClaim>();
  ASSERT_THAT(claims, SizeIs(1));
  for (const std::string_view type : {kLaunched, kRegistered, kInitialized, kReady}) {
    EXPECT_TRUE(condition_is(*claims[0], type)) << type;
  }
  const auto nodes = world.all<k8s::Node>();
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_EQ(nodes[0]->spec().provider_id(), claims[0]->status().provider_id());
  EXPECT_THAT(nodes[0]->spec().taints(), IsEmpty());
  EXPECT_EQ(label_or(nodes[0]->metadata().labels(), kInitializedLabel), "true");
  EXPECT_EQ(label_or(nodes[0]->metadata().labels(), kNodePoolLabel), "gpu");
  const auto pods = world.all<k8s::Pod>();
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_EQ(pods[0]->spec().node_name(), nodes[0]->metadata().name());
  EXPECT_TRUE(is_running(*pods[0]));
  EXPECT_EQ(world.count<facts::NodeClaimCreated>(), 1U);
  EXPECT_EQ(world.count<facts::InstanceLaunched>(), 1U);
}

TEST(KarpenterInCluster, TheBatchWaitsASecondForMorePods) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8"))};
  world.begin();
  for (int i = 0; i < 4; ++i) {
    world.create(gpu_pod("p" + std::to_string(i), 2), 10s + i * Duration(800ms));
  }
  world.run_until(60s);
  const auto created = world.facts<facts::NodeClaimCreated>();
  ASSERT_THAT(created, SizeIs(1));  // one machine of eight GPUs for all of them
  EXPECT_EQ(created[0].second.pods(), 4U);
  EXPECT_GT(created[0].first, at(12400ms + 1s));
  EXPECT_LT(created[0].first, at(12400ms + 1200ms));
}

TEST(KarpenterInCluster, ThePoolsLimitHolds) {
  World world;
  NodePool pool = pool_of("gpu", "g8");
  limit(pool, "nvidia.com/gpu", 16);
  world.initial = {Payload::of(pool)};
  for (int i = 0; i < 5; ++i) {
    world.initial.push_back(Payload::of(gpu_pod("p" + std::to_string(i), 8)));
  }
  world.begin();
  world.run_until(5min);
  EXPECT_EQ(world.count<facts::NodeClaimCreated>(), 2U);
  EXPECT_EQ(world.count<facts::InstanceLaunched>(), 2U);
  const auto pools = world.all<NodePool>();
  EXPECT_EQ(pools[0]->status().nodes(), 2);
  EXPECT_EQ(amount_of(pools[0]->status().resources(), "nvidia.com/gpu").to_whole(), 16);
}

TEST(KarpenterInCluster, AClaimWithoutCapacityIsReplacedByOneOfAnotherOffering) {
  World world;
  NodePool pool;
  pool.mutable_metadata()->set_name("gpu");
  require(pool, kInstanceTypeLabel, "In", {"g8"});
  require(pool, kCapacityTypeLabel, "In", {"on-demand", "spot"});
  world.set_capacity("g8", "spot", 0);
  world.initial = {Payload::of(pool), Payload::of(gpu_pod("p", 8))};
  world.begin();
  world.run_until(2min);
  EXPECT_THAT(world.deletion_reasons(), ElementsAre("insufficient_capacity"));
  EXPECT_EQ(world.count<facts::NodeClaimCreated>(), 2U);
  const auto launched = world.facts<facts::InstanceLaunched>();
  ASSERT_THAT(launched, SizeIs(1));
  EXPECT_EQ(launched[0].second.capacity_type(), "on-demand");
  EXPECT_THAT(world.all<NodeClaim>(), SizeIs(1));
  EXPECT_TRUE(is_running(*world.all<k8s::Pod>().at(0)));
}

TEST(KarpenterInCluster, AnEmptyNodeIsTakenAwayAfterItsTime) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(2min);
  world.remove(key_for<k8s::Pod>("default", "p"), 2min);
  world.run_until(6min);
  EXPECT_THAT(world.deletion_reasons(), ElementsAre("empty"));
  // A minute without pod events, at most ten seconds until the next pass, 15 s of validation.
  const SimTime deleted = world.facts<facts::NodeClaimDeleted>().at(0).first;
  EXPECT_GE(deleted, at(2min + 60s + 15s));
  EXPECT_LE(deleted, at(2min + 60s + 10s + 15s + 2s));
  EXPECT_EQ(world.count<facts::InstanceTerminated>(), 1U);
  EXPECT_THAT(world.all<NodeClaim>(), IsEmpty());
  EXPECT_THAT(world.all<k8s::Node>(), IsEmpty());
}

TEST(KarpenterInCluster, ANodeThatGetsAPodWhileItsEndIsValidatedStays) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.remove(key_for<k8s::Pod>("default", "p"), 2min);
  world.create(gpu_pod("late", 2), 3min + 12s);
  world.run_until(10min);
  EXPECT_THAT(world.deletion_reasons(), IsEmpty());
  EXPECT_EQ(world.count<facts::InstanceLaunched>(), 1U);
  EXPECT_TRUE(is_running(*world.all<k8s::Pod>().at(0)));
}

TEST(KarpenterInCluster, ABudgetOfZeroKeepsEmptyNodes) {
  World world;
  NodePool pool = pool_of("gpu", "g8");
  pool.mutable_spec()->mutable_disruption()->add_budgets()->set_nodes("0");
  world.initial = {Payload::of(pool), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.remove(key_for<k8s::Pod>("default", "p"), 2min);
  world.run_until(15min);
  EXPECT_THAT(world.deletion_reasons(), IsEmpty());
  EXPECT_THAT(world.all<k8s::Node>(), SizeIs(1));
}

TEST(KarpenterInCluster, WithoutDisruptionEmptyNodesStay) {
  World world;
  world.karpenter.set_disruption(false);
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.remove(key_for<k8s::Pod>("default", "p"), 2min);
  world.run_until(15min);
  EXPECT_THAT(world.all<k8s::Node>(), SizeIs(1));
}

// The claim is created about 1.1 s after the start, and its launch takes until about 3.3 s.
class RestartInALaunch : public ::testing::TestWithParam<int> {};

TEST_P(RestartInALaunch, MakesNoSecondClaimAndNoSecondInstance) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.restart_karpenter(Duration(GetParam() * 1ms), 5s);
  world.run_until(3min);
  EXPECT_EQ(world.count<facts::InstanceLaunched>(), 1U);
  EXPECT_THAT(world.all<NodeClaim>(), SizeIs(1));
  EXPECT_TRUE(is_running(*world.all<k8s::Pod>().at(0)));
}

INSTANTIATE_TEST_SUITE_P(AtAnyMoment, RestartInALaunch,
                         ::testing::Values(1150, 1250, 1500, 2500, 3200, 3400, 3600, 4000, 20000));

TEST(KarpenterInCluster, AClaimThatIsDeletedIsDrainedBeforeItsInstanceEnds) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(2min);
  world.remove(key_of(*world.all<NodeClaim>().at(0)), 2min);
  world.run_until(4min);
  ASSERT_EQ(world.count<facts::PodEvicted>(), 1U);
  ASSERT_EQ(world.count<facts::InstanceTerminated>(), 1U);
  EXPECT_LT(world.facts<facts::PodDeleted>().at(0).first,
            world.facts<facts::InstanceTerminated>().at(0).first);
  EXPECT_THAT(world.all<NodeClaim>(), IsEmpty());
  EXPECT_THAT(world.all<k8s::Node>(), IsEmpty());
}

TEST(KarpenterInCluster, ANodeThatNeverJoinsIsGivenUpAndReplaced) {
  World world;
  *world.cloud.mutable_node()->mutable_boot() = takes(2h);
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(17min);
  EXPECT_THAT(world.deletion_reasons(), ElementsAre("registration_timeout"));
  EXPECT_EQ(world.count<facts::InstanceTerminated>(), 1U);
  EXPECT_EQ(world.count<facts::InstanceLaunched>(), 2U);
  EXPECT_THAT(world.all<NodeClaim>(), SizeIs(1));
}

TEST(KarpenterInCluster, AClaimExpiresWhateverRunsOnIt) {
  World world;
  NodePool pool = pool_of("gpu", "g8");
  pool.mutable_spec()->mutable_template_()->mutable_spec()->set_expire_after("5m");
  world.initial = {Payload::of(pool), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(7min);
  EXPECT_THAT(world.deletion_reasons(), ElementsAre("expired"));
  EXPECT_EQ(world.count<facts::PodEvicted>(), 1U);
}

TEST(KarpenterInCluster, ASpotInstanceIsDrainedWithinItsNotice) {
  World world;
  world.karpenter.set_interruption_queue(true);
  NodePool pool = pool_of("gpu", "g8");
  pool.mutable_spec()->mutable_template_()->mutable_spec()->clear_requirements();
  require(pool, kCapacityTypeLabel, "In", {"spot"});
  require(pool, kInstanceTypeLabel, "In", {"g8"});
  world.initial = {Payload::of(pool), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(2min);
  cloud::InterruptInstance victim;
  victim.set_node(world.all<k8s::Node>().at(0)->metadata().name());
  world.tell("cloud/0", Payload::of(victim), 2min);
  world.run_until(5min);
  EXPECT_THAT(world.deletion_reasons(), ElementsAre("spot_interrupted"));
  EXPECT_EQ(world.count<facts::PodEvicted>(), 1U);
  ASSERT_EQ(world.count<facts::InstanceTerminated>(), 1U);
  EXPECT_EQ(world.facts<facts::InstanceTerminated>().at(0).second.reason(), "deleted");
}

TEST(KarpenterInCluster, AClaimWhoseInstanceVanishedIsCollected) {
  World world;  // without an interruption queue nobody hears of the notice
  world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
  world.begin();
  world.run_until(2min);
  cloud::InterruptInstance victim;
  victim.set_node(world.all<k8s::Node>().at(0)->metadata().name());
  world.tell("cloud/0", Payload::of(victim), 2min);
  world.run_until(8min);
  EXPECT_THAT(world.deletion_reasons(), ElementsAre("garbage_collected"));
  EXPECT_EQ(world.facts<facts::InstanceTerminated>().at(0).second.reason(), "interrupted");
  EXPECT_THAT(world.all<NodeClaim>(), IsEmpty());
  EXPECT_THAT(world.all<k8s::Node>(), IsEmpty());
}

TEST(KarpenterInCluster, AnInstanceThatNoClaimStandsForIsTerminated) {
  World world;
  world.initial = {Payload::of(pool_of("gpu", "g8"))};
  world.begin();
  cloud::LaunchInstance stray;
  stray.set_request_id(1);
  stray.set_node("stray");
  stray.set_node_pool("gpu");
  world.tell(kUser, Payload::of(stray), 1s);
  world.run_until(5min);
  EXPECT_EQ(world.count<facts::InstanceLaunched>(), 1U);
  EXPECT_EQ(world.count<facts::InstanceTerminated>(), 1U);
}

TEST(KarpenterInCluster, TheSameSeedGivesTheSameDigest) {
  const auto digest = [](std::uint64_t seed) {
    World world;
    world.initial = {Payload::of(pool_of("gpu", "g8")), Payload::of(gpu_pod("p", 2))};
    world.begin(seed);
    world.restart_karpenter(2s, 3s);
    world.run_until(2min);
    return world.digest();
  };
  EXPECT_EQ(digest(7), digest(7));
  EXPECT_NE(digest(7), digest(8));
}

}  // namespace
}  // namespace troupe::karpenter
