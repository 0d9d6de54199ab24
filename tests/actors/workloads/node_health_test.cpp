// The decisions of the node lifecycle controller as functions: silence, taints, zones and their
// pace.
#include "actors/workloads/node_lifecycle/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/node_lifecycle/eviction_zones.h"
#include "actors/workloads/node_lifecycle/node_taints.h"
#include "tests/actors/workloads/node_cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

k8s::Node node_with(std::string_view condition, std::string_view status) {
  k8s::Node node = NodeBuilder("n").raw();
  set_condition(*node.mutable_status()->mutable_conditions(), {condition, status}, at(0s));
  return node;
}

TEST(NodeHealth, ANodeIsSilentWhenItsGraceIsOverAndNotBefore) {
  NodeHealth health({.grace = 50s});
  const k8s::Node node = NodeBuilder("n").raw();
  EXPECT_FALSE(health.is_silent(node, at(5s)));  // first seen
  EXPECT_FALSE(health.is_silent(node, at(55s)));
  EXPECT_TRUE(health.is_silent(node, at(55s + 1ns)));
}

TEST(NodeHealth, ARenewedLeaseCountsFromTheCheckThatNoticesIt) {
  NodeHealth health({.grace = 50s});
  const k8s::Node node = NodeBuilder("n").raw();
  EXPECT_FALSE(health.is_silent(node, at(0s)));
  health.renewed("n");
  EXPECT_FALSE(health.is_silent(node, at(40s)));
  EXPECT_FALSE(health.is_silent(node, at(90s)));
  EXPECT_TRUE(health.is_silent(node, at(91s)));
}

TEST(NodeHealth, AHeartbeatThatMovedIsASignOfLife) {
  NodeHealth health({.grace = 50s});
  k8s::Node node = NodeBuilder("n").raw();
  EXPECT_FALSE(health.is_silent(node, at(0s)));
  node.mutable_status()->mutable_conditions(0)->set_last_heartbeat_time(1);
  EXPECT_FALSE(health.is_silent(node, at(45s)));
  EXPECT_FALSE(health.is_silent(node, at(95s)));
  EXPECT_TRUE(health.is_silent(node, at(96s)));
}

TEST(NodeHealth, ANodeThatNeverSpokeHasItsStartupGraceFromItsCreation) {
  NodeHealth health({.grace = 50s, .startup_grace = 60s});
  k8s::Node node = NodeBuilder("n").raw();
  node.mutable_status()->clear_conditions();
  node.mutable_metadata()->set_creation_timestamp(to_ns(at(100s)));
  EXPECT_FALSE(health.is_silent(node, at(140s)));
  EXPECT_FALSE(health.is_silent(node, at(160s)));
  EXPECT_TRUE(health.is_silent(node, at(161s)));
}

TEST(NodeHealth, AnotherNodeOfTheSameNameBeginsAnew) {
  NodeHealth health({.grace = 50s});
  k8s::Node node = NodeBuilder("n").raw();
  EXPECT_FALSE(health.is_silent(node, at(0s)));
  node.mutable_metadata()->set_uid("another");
  EXPECT_FALSE(health.is_silent(node, at(60s)));
}

TEST(NodeHealth, EveryGraceCanBeginAnew) {
  NodeHealth health({.grace = 50s});
  const k8s::Node node = NodeBuilder("n").raw();
  EXPECT_FALSE(health.is_silent(node, at(0s)));
  health.begin_anew(at(300s));
  EXPECT_FALSE(health.is_silent(node, at(350s)));
}

TEST(SilentStatus, WhatOnlyTheKubeletKnowsBecomesUnknown) {
  k8s::Node node = node_with("NetworkUnavailable", "False");
  const auto status = silent_status(node, at(60s));
  ASSERT_TRUE(status);
  const auto* ready = find_condition(status->conditions(), "Ready");
  EXPECT_EQ(ready->status(), "Unknown");
  EXPECT_EQ(ready->reason(), "NodeStatusUnknown");
  EXPECT_EQ(ready->last_transition_time(), to_ns(at(60s)));
  EXPECT_EQ(find_condition(status->conditions(), "MemoryPressure")->reason(),
            "NodeStatusNeverUpdated");
  EXPECT_EQ(find_condition(status->conditions(), "NetworkUnavailable")->status(), "False");
  *node.mutable_status() = *status;
  EXPECT_FALSE(silent_status(node, at(65s)));
}

TEST(ConditionTaints, EachConditionHasItsTaint) {
  EXPECT_THAT(condition_taints(NodeBuilder("n").raw()).add, IsEmpty());
  const auto key = [](std::string_view condition, std::string_view status) {
    return to_string(condition_taints(node_with(condition, status)).add.at(0));
  };
  EXPECT_EQ(key("Ready", "False"), kNotReadyNoSchedule);
  EXPECT_EQ(key("Ready", "Unknown"), kUnreachableNoSchedule);
  EXPECT_EQ(key("MemoryPressure", "True"), "node.kubernetes.io/memory-pressure:NoSchedule");
  EXPECT_EQ(key("DiskPressure", "True"), "node.kubernetes.io/disk-pressure:NoSchedule");
  EXPECT_EQ(key("PIDPressure", "True"), "node.kubernetes.io/pid-pressure:NoSchedule");
  EXPECT_THAT(condition_taints(node_with("MemoryPressure", "Unknown")).add, IsEmpty());
}

TEST(ConditionTaints, WhatNoLongerHoldsIsRemovedAndForeignTaintsStay) {
  NodeBuilder node("n");
  node.taint("node.kubernetes.io/not-ready", "", "NoSchedule")
      .taint("node.kubernetes.io/not-ready", "", "NoExecute")
      .taint("dedicated", "gpu", "NoSchedule");
  const auto taints = changed_taints(node.raw(), condition_taints(node.raw()), at(1s));
  ASSERT_TRUE(taints);
  std::vector<std::string> left;
  for (const k8s::Taint& taint : *taints) left.push_back(to_string(taint));
  EXPECT_THAT(left, UnorderedElementsAre(kNotReadyNoExecute, "dedicated=gpu:NoSchedule"));
}

TEST(EvictionTaint, TakesThePlaceOfTheOtherOne) {
  NodeBuilder node("n");
  node.taint("node.kubernetes.io/not-ready", "", "NoExecute");
  const auto taints = changed_taints(node.raw(), eviction_taint("Unknown"), at(7s));
  ASSERT_TRUE(taints);
  ASSERT_EQ(taints->size(), 1);
  EXPECT_EQ(to_string(taints->at(0)), kUnreachableNoExecute);
  EXPECT_EQ(taints->at(0).time_added(), to_ns(at(7s)));
  EXPECT_FALSE(changed_taints(node.raw(), eviction_taint("False"), at(7s)));
}

TEST(ZoneState, IsPartialFromFiftyFivePercentAndThreeNodesOn) {
  EXPECT_EQ(zone_state({.ready = 0, .not_ready = 1}), ZoneState::FullDisruption);
  EXPECT_EQ(zone_state({.ready = 1, .not_ready = 2}), ZoneState::Normal);
  EXPECT_EQ(zone_state({.ready = 9, .not_ready = 11}), ZoneState::PartialDisruption);
  EXPECT_EQ(zone_state({.ready = 10, .not_ready = 11}), ZoneState::Normal);
  EXPECT_EQ(zone_state({.ready = 0, .not_ready = 0}), ZoneState::Normal);
}

TEST(ZoneState, SetsThePaceOfEvictions) {
  EXPECT_EQ(eviction_interval(ZoneState::Normal, 3), 10s);
  EXPECT_EQ(eviction_interval(ZoneState::FullDisruption, 3), 10s);
  EXPECT_EQ(eviction_interval(ZoneState::PartialDisruption, 51), 100s);
  EXPECT_EQ(eviction_interval(ZoneState::PartialDisruption, 50), std::nullopt);
}

TEST(ZoneQueue, HandsOutOneNodeInTenSecondsAndEachOnce) {
  ZoneQueue queue;
  for (const char* name : {"a", "b", "c", "a"}) queue.add(name);
  EXPECT_EQ(queue.take(at(100s)), "a");
  EXPECT_EQ(queue.take(at(109s)), std::nullopt);
  EXPECT_EQ(queue.due(), at(110s));
  queue.remove("b");
  EXPECT_EQ(queue.take(at(110s)), "c");
  queue.add("c");
  EXPECT_EQ(queue.due(), std::nullopt);
  queue.put_back("c");
  EXPECT_EQ(queue.take(at(120s)), "c");
}

TEST(ZoneQueue, AStoppedOneGivesNothingAndStartsWithoutAToken) {
  ZoneQueue queue;
  queue.add("a");
  queue.set_interval(std::nullopt, at(0s));
  EXPECT_EQ(queue.take(at(500s)), std::nullopt);
  queue.set_interval(10s, at(500s));
  EXPECT_EQ(queue.take(at(509s)), std::nullopt);
  EXPECT_EQ(queue.take(at(510s)), "a");
}

TEST(EvictionZones, EachZoneHasItsOwnPace) {
  EvictionZones zones;
  for (const char* name : {"a1", "a2"}) zones.zone("a").add(name);
  zones.zone("b").add("b1");
  std::vector<std::string> taken;
  while (auto name = zones.take(at(1s))) taken.push_back(*name);
  EXPECT_THAT(taken, ElementsAre("a1", "b1"));
  EXPECT_EQ(zones.due(), at(11s));
}

TEST(EvictionZones, NobodyIsGivenUpWhileEveryZoneIsDown) {
  using Turn = EvictionZones::Turn;
  EvictionZones zones;
  zones.zone("a").add("a1");
  EXPECT_EQ(zones.update({{"a", {0, 2}}, {"b", {1, 1}}}, at(0s)), Turn::None);
  EXPECT_TRUE(zones.due());
  EXPECT_EQ(zones.update({{"a", {0, 2}}, {"b", {0, 2}}}, at(5s)), Turn::AllWentDown);
  EXPECT_FALSE(zones.due());
  EXPECT_EQ(zones.update({{"a", {0, 2}}, {"b", {0, 2}}}, at(10s)), Turn::None);
  EXPECT_EQ(zones.update({{"a", {0, 2}}, {"b", {1, 1}}}, at(15s)), Turn::SomeCameBack);
  EXPECT_EQ(zones.due(), at(25s));
}

TEST(EvictionZones, ASmallZoneOfWhichMostIsDownGivesNobodyUp) {
  EvictionZones zones;
  zones.zone("a").add("a1");
  EXPECT_EQ(zones.update({{"a", {1, 3}}}, at(0s)), EvictionZones::Turn::None);
  EXPECT_FALSE(zones.due());
}

}  // namespace
}  // namespace troupe::workloads
