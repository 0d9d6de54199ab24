// Cases C9, C16, C18, C19 and C20: the steps of a claim's life as functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/karpenter/lifecycle/initialization.h"
#include "actors/karpenter/lifecycle/launch.h"
#include "actors/karpenter/lifecycle/liveness.h"
#include "actors/karpenter/lifecycle/pool_health.h"
#include "actors/karpenter/lifecycle/registration.h"
#include "actors/workloads/objects/metadata.h"
#include "tests/actors/karpenter/fixtures.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::ElementsAre;

std::string reason_of(const NodeClaim& claim, std::string_view type) {
  const k8s::Condition* condition = find_condition(claim.status().conditions(), type);
  return condition == nullptr ? "" : condition->reason();
}

TEST(Launch, AsksForTheCheapestTypesOfOneCapacityType) {
  const InstanceCatalogue catalogue(general_purpose());
  NodeClaim claim;
  claim.mutable_metadata()->set_name("p-1");
  claim.mutable_metadata()->set_uid("u");
  const auto request = launch_request(claim, catalogue);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->capacity_types(), ElementsAre("spot"));
  EXPECT_THAT(request->instance_types(), ElementsAre("c2", "c4", "c8"));
  EXPECT_THAT(request->zones(), ElementsAre("zone-a", "zone-b", "zone-c"));
  EXPECT_EQ(request->client_token(), "u");
  EXPECT_EQ(request->taints(0).key(), kUnregisteredTaint);
}

TEST(Launch, FallsBackToOnDemandWhereSpotIsDry) {
  InstanceCatalogue catalogue(general_purpose());
  UnavailableOfferings dry;
  for (const char* type : {"c2", "c4", "c8"}) {
    for (const char* zone : {"zone-a", "zone-b", "zone-c"})
      dry.mark({type, zone, "spot"}, kTimeZero);
  }
  catalogue.refresh(dry);
  const auto request = launch_request(NodeClaim(), catalogue);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->capacity_types(), ElementsAre("on-demand"));
}

TEST(Launch, GivesTheClaimWhatTheInstanceIs) {
  const InstanceCatalogue catalogue(general_purpose());
  NodeClaim claim;
  cloud::Instance instance;
  instance.set_id("i-1");
  instance.set_instance_type("c4");
  instance.set_zone("zone-b");
  instance.set_capacity_type("spot");
  record_launch(claim, instance, catalogue, at(2s));
  EXPECT_TRUE(condition_is(claim, kLaunched));
  EXPECT_EQ(claim.status().provider_id(), "i-1");
  EXPECT_EQ(label_or(claim.metadata().labels(), kZoneLabel), "zone-b");
  EXPECT_EQ(label_or(claim.metadata().labels(), kCapacityTypeLabel), "spot");
  EXPECT_EQ(Resources::of(claim.status().allocatable()).get(kCpu), 3900);
}

TEST(Launch, OnlyAReplyWithoutInstanceIsALackOfCapacity) {  // C16
  cloud::LaunchInstanceReply partial;
  partial.mutable_instance()->set_id("i-1");
  partial.add_errors()->set_code("InsufficientInstanceCapacity");
  EXPECT_FALSE(is_insufficient_capacity(partial));
  EXPECT_EQ(dry_offerings(partial).size(), 1U);
  cloud::LaunchInstanceReply none = partial;
  none.clear_instance();
  none.set_error("InsufficientInstanceCapacity");
  EXPECT_TRUE(is_insufficient_capacity(none));
  none.add_errors()->set_code("InternalError");
  EXPECT_FALSE(is_insufficient_capacity(none));
}

TEST(UnavailableOfferings, ComeBackAtTheFirstSweepAfterThreeMinutes) {  // C16
  UnavailableOfferings offerings;
  const UnavailableOfferings::Key key{"g", "zone-a", "spot"};
  offerings.mark(key, at(3s));
  offerings.sweep(at(180s));
  EXPECT_TRUE(offerings.contains(key));
  EXPECT_TRUE(offerings.contains(key));  // expired at 183 s, but nobody has swept
  EXPECT_TRUE(offerings.sweep(at(190s)));
  EXPECT_FALSE(offerings.contains(key));
}

TEST(UnavailableOfferings, ASecondLackStartsTheTimeAnew) {  // C16
  UnavailableOfferings offerings;
  const UnavailableOfferings::Key key{"g", "zone-a", "spot"};
  offerings.mark(key, at(0s));
  offerings.mark(key, at(100s));
  EXPECT_FALSE(offerings.sweep(at(270s)));
  EXPECT_TRUE(offerings.sweep(at(280s)));
}

TEST(Registration, WaitsForExactlyOneNode) {
  NodeClaim claim;
  EXPECT_FALSE(check_nodes(claim, 0, kTimeZero));
  EXPECT_EQ(reason_of(claim, kRegistered), "NodeNotFound");
  EXPECT_FALSE(check_nodes(claim, 2, kTimeZero));
  EXPECT_EQ(reason_of(claim, kRegistered), "MultipleNodesFound");
  EXPECT_TRUE(check_nodes(claim, 1, kTimeZero));
}

TEST(Registration, GivesTheNodeWhatTheClaimSays) {
  const InstanceCatalogue catalogue(general_purpose());
  NodeClaim claim = launched_claim("p-1", "p", *catalogue.find("c4"));
  *claim.mutable_spec()->add_taints() = make_taint("gpu", kNoSchedule, "yes");
  *claim.mutable_spec()->add_startup_taints() = make_taint("starting", kNoSchedule);
  k8s::Node joined;
  joined.mutable_metadata()->set_name("p-1");
  *joined.mutable_spec()->add_taints() = make_taint(kUnregisteredTaint, kNoExecute);
  EXPECT_FALSE(lacks_unregistered_taint(joined));
  const k8s::Node node = registered_node(claim, joined);
  EXPECT_TRUE(has_label(node.metadata().labels(), kRegisteredLabel, "true"));
  EXPECT_TRUE(has_label(node.metadata().labels(), kNodePoolLabel, "p"));
  EXPECT_EQ(node.spec().taints_size(), 2);
  EXPECT_TRUE(has_finalizer(node.metadata(), kTerminationFinalizer));
  EXPECT_EQ(node.metadata().owner_references(0).uid(), claim.metadata().uid());
}

TEST(Initialization, WaitsForReadyTaintsAndResourcesInTurn) {  // C9, C20
  hosts::KarpenterConfig config;
  add_type(config, "g8", 96, 512, 8);
  const InstanceCatalogue catalogue(config);
  NodeClaim claim = launched_claim("p-1", "p", *catalogue.find("g8"));
  *claim.mutable_spec()->add_startup_taints() = make_taint("starting", kNoSchedule);
  set_amount(*claim.mutable_spec()->mutable_resources()->mutable_requests(), "nvidia.com/gpu",
             Quantity::whole(1));
  k8s::Node node = node_of(claim);
  set_condition(*node.mutable_status()->mutable_conditions(), {"Ready", "False"}, kTimeZero);
  *node.mutable_spec()->add_taints() = make_taint("starting", kNoSchedule);
  *node.mutable_spec()->add_taints() = make_taint(kNotReadyTaint, kNoSchedule);
  set_amount(*node.mutable_status()->mutable_allocatable(), "nvidia.com/gpu", Quantity());

  EXPECT_FALSE(check_initialized(claim, &node, at(40s)));
  EXPECT_EQ(reason_of(claim, kInitialized), "NodeNotReady");
  set_condition(*node.mutable_status()->mutable_conditions(), {"Ready", "True"}, kTimeZero);
  EXPECT_FALSE(check_initialized(claim, &node, at(40s)));
  EXPECT_EQ(reason_of(claim, kInitialized), "StartupTaintsExist");
  erase_taint(*node.mutable_spec()->mutable_taints(), "starting", kNoSchedule);
  EXPECT_FALSE(check_initialized(claim, &node, at(41s)));
  EXPECT_EQ(reason_of(claim, kInitialized), "KnownEphemeralTaintsExist");
  erase_taint(*node.mutable_spec()->mutable_taints(), kNotReadyTaint, kNoSchedule);
  EXPECT_FALSE(check_initialized(claim, &node, at(42s)));
  EXPECT_EQ(reason_of(claim, kInitialized), "ResourceNotRegistered");
  EXPECT_FALSE(check_initialized(claim, &node, at(24h)));  // for ever
  set_amount(*node.mutable_status()->mutable_allocatable(), "nvidia.com/gpu", Quantity::whole(8));
  EXPECT_TRUE(check_initialized(claim, &node, at(300s)));
}

TEST(Liveness, AClaimThatDoesNotLaunchIsGivenUpAfterFiveMinutes) {  // C18
  NodeClaim claim;
  begin_conditions(claim, at(10s));
  EXPECT_EQ(check_liveness(claim, true, at(309s)).delete_reason, "");
  EXPECT_EQ(check_liveness(claim, true, at(310s)).delete_reason, "launch_timeout");
  EXPECT_EQ(check_liveness(claim, false, at(310s)).delete_reason, "");
}

TEST(Liveness, AClaimWhoseNodeDoesNotJoinIsGivenUpAfterFifteenMinutes) {  // C19
  NodeClaim claim;
  begin_conditions(claim, at(0s));
  set_true(claim, kLaunched, at(2s));
  const Liveness early = check_liveness(claim, true, at(5min));
  EXPECT_EQ(early.delete_reason, "");
  EXPECT_EQ(early.check_again, 10min);
  EXPECT_EQ(check_liveness(claim, true, at(15min)).delete_reason, "registration_timeout");
  set_true(claim, kRegistered, at(14min));
  EXPECT_EQ(check_liveness(claim, true, at(15min)).delete_reason, "");
}

TEST(PoolHealth, TwoFailuresOfFourAreUnhealthyAndASuccessHeals) {  // C19
  PoolHealthTracker tracker;
  EXPECT_EQ(tracker.health_of("p"), PoolHealth::Unknown);
  EXPECT_EQ(tracker.record("p", false), PoolHealth::Healthy);
  EXPECT_EQ(tracker.record("p", false), PoolHealth::Unhealthy);
  EXPECT_EQ(tracker.record("p", true), PoolHealth::Unhealthy);
  tracker.record("p", true);
  EXPECT_EQ(tracker.record("p", true), PoolHealth::Healthy);
}

}  // namespace
}  // namespace troupe::karpenter
