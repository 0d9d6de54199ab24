#include "actors/kubelet/xid.h"

#include <gtest/gtest.h>

namespace troupe::kubelet {
namespace {

using Changed = workload::GpuHealthChanged;

TEST(Xid, WhatAnApplicationCausesLeavesTheGpuHealthy) {
  for (const std::uint32_t xid : {13U, 31U, 43U, 45U, 68U, 109U}) {
    EXPECT_TRUE(effect_of(xid).healthy) << xid;
    EXPECT_TRUE(effect_of(xid).kills) << xid;
    EXPECT_EQ(effect_of(xid).who, Changed::ONE) << xid;
  }
}

TEST(Xid, WhatIsRecordedForTheNextResetKillsNobody) {
  EXPECT_FALSE(effect_of(63).kills);
  EXPECT_TRUE(effect_of(63).healthy);
  EXPECT_FALSE(effect_of(64).kills);
  EXPECT_FALSE(effect_of(64).healthy);
}

TEST(Xid, AContainedErrorKillsOneAnUncontainedOneAll) {
  EXPECT_EQ(effect_of(94).who, Changed::ONE);
  EXPECT_EQ(effect_of(95).who, Changed::ALL);
  EXPECT_FALSE(effect_of(94).healthy);
  EXPECT_FALSE(effect_of(95).healthy);
}

TEST(Xid, OnlyAGpuThatFellOffTheBusCannotBeRead) {
  EXPECT_TRUE(effect_of(79).off_the_bus);
  EXPECT_FALSE(effect_of(48).off_the_bus);
}

TEST(Xid, AnUnknownOneTakesTheGpuAndKillsAll) {
  const XidEffect effect = effect_of(999);
  EXPECT_FALSE(effect.healthy);
  EXPECT_TRUE(effect.kills);
  EXPECT_EQ(effect.xid, 999u);
}

}  // namespace
}  // namespace troupe::kubelet
