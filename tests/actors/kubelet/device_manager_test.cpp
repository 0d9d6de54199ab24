#include "actors/kubelet/device_manager.h"

#include <gmock/gmock.h>

namespace troupe::kubelet {
namespace {

using ::testing::ElementsAre;

DeviceManager registered(std::uint32_t gpus) {
  DeviceManager devices(gpus);
  devices.register_plugin();
  return devices;
}

TEST(DeviceManager, HasNothingBeforeThePluginRegisters) {
  DeviceManager devices(8);
  EXPECT_FALSE(devices.resource_known());
  EXPECT_EQ(devices.capacity(), 0u);
  EXPECT_EQ(devices.allocatable(), 0u);
  devices.register_plugin();
  EXPECT_EQ(devices.capacity(), 8u);
  EXPECT_EQ(devices.allocatable(), 8u);
}

TEST(DeviceManager, GivesTheLowestIndexesFirst) {
  DeviceManager devices = registered(4);
  EXPECT_THAT(devices.assign("a", {.whole = 1})->gpus, ElementsAre(0));
  EXPECT_THAT(devices.assign("b", {.whole = 2})->gpus, ElementsAre(1, 2));
  devices.release("a");
  EXPECT_THAT(devices.assign("c", {.whole = 2})->gpus, ElementsAre(0, 3));
}

TEST(DeviceManager, RefusesMoreThanIsFreeAndTakesNothing) {
  DeviceManager devices = registered(2);
  ASSERT_TRUE(devices.assign("a", {.whole = 1}));
  const auto refused = devices.assign("b", {.whole = 2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "UnexpectedAdmissionError");
  EXPECT_EQ(refused.error().message,
            "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
            "Requested: 2, Available: 1, which is unexpected");
  EXPECT_EQ(devices.of("b"), nullptr);
  EXPECT_EQ(devices.used_milli(1), 0u);
}

TEST(DeviceManager, KeepsWhatAPodHas) {
  DeviceManager devices = registered(2);
  devices.assign("a", {.whole = 1});
  EXPECT_THAT(devices.assign("a", {.whole = 1})->gpus, ElementsAre(0));
  EXPECT_EQ(devices.used_milli(1), 0u);
}

TEST(DeviceManager, SkipsUnhealthyGpus) {
  DeviceManager devices = registered(3);
  devices.set_healthy(0, false);
  EXPECT_EQ(devices.capacity(), 3u);
  EXPECT_EQ(devices.allocatable(), 2u);
  EXPECT_THAT(devices.assign("a", {.whole = 1})->gpus, ElementsAre(1));
}

TEST(DeviceManager, RefusesWhereNoDeviceIsHealthy) {
  DeviceManager devices = registered(1);
  devices.set_healthy(0, false);
  EXPECT_EQ(devices.assign("a", {.whole = 1}).error().message,
            "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices "
            "nvidia.com/gpu, which is unexpected");
}

TEST(DeviceManager, KnowsTheResourceFromItsCheckpointButNoHealthyDevice) {
  DeviceManager devices(2);
  devices.restore_checkpoint();
  EXPECT_TRUE(devices.resource_known());
  EXPECT_EQ(devices.allocatable(), 0u);
  EXPECT_FALSE(devices.assign("a", {.whole = 1}));
}

TEST(DeviceManager, LeavesPodsTheirDevicesWhenThePluginIsLost) {
  DeviceManager devices = registered(2);
  devices.assign("a", {.whole = 1});
  devices.lose_plugin();
  EXPECT_EQ(devices.allocatable(), 0u);
  ASSERT_NE(devices.of("a"), nullptr);
  devices.register_plugin();
  EXPECT_THAT(devices.assign("b", {.whole = 1})->gpus, ElementsAre(1));
}

TEST(DeviceManager, PacksSharesOntoOneGpu) {
  DeviceManager devices = registered(2);
  EXPECT_THAT(devices.assign("a", {.share_milli = 400})->gpus, ElementsAre(0));
  EXPECT_THAT(devices.assign("b", {.share_milli = 600})->gpus, ElementsAre(0));
  EXPECT_THAT(devices.assign("c", {.share_milli = 100})->gpus, ElementsAre(1));
  EXPECT_EQ(devices.used_milli(0), 1000u);
  EXPECT_EQ(devices.of("b")->milli_each, 600u);
}

TEST(DeviceManager, PrefersASharedGpuToAFreeOneOfLowerIndex) {
  DeviceManager devices = registered(3);
  devices.assign("a", {.whole = 1});
  devices.assign("b", {.share_milli = 500});
  devices.release("a");
  EXPECT_THAT(devices.assign("c", {.share_milli = 500})->gpus, ElementsAre(1));
}

TEST(DeviceManager, NeverMixesSharesWithAWholeGpu) {
  DeviceManager devices = registered(1);
  devices.assign("a", {.share_milli = 100});
  EXPECT_FALSE(devices.assign("b", {.whole = 1}));
}

TEST(DeviceManager, NamesTheHoldersOfAGpu) {
  DeviceManager devices = registered(2);
  devices.assign("b", {.share_milli = 100});
  devices.assign("a", {.share_milli = 100});
  devices.assign("c", {.whole = 1});
  EXPECT_THAT(devices.holders(0), ElementsAre("a", "b"));
  EXPECT_THAT(devices.holders(1), ElementsAre("c"));
}

}  // namespace
}  // namespace troupe::kubelet
