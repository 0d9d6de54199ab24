#include "actors/kubelet/admission.h"

#include <gtest/gtest.h>

#include "tests/support/cluster_objects.h"

namespace troupe::kubelet {
namespace {

using testing::PodBuilder;

class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() { devices_.register_plugin(); }

  static scheduling::Resources node() {
    scheduling::Resources resources;
    resources.milli_cpu = 4000;
    resources.memory_bytes = 8LL << 30;
    resources.pods = 3;
    return resources;
  }
  tl::expected<DeviceGrant, Rejection> admit(const PodBuilder& pod) {
    const auto object = pod.share();
    return admission_.admit(object->metadata().uid(), demand_of(*object));
  }

  DeviceManager devices_{2};
  Admission admission_{node(), devices_};
};

TEST_F(AdmissionTest, TakesAPodThatFits) {
  EXPECT_TRUE(admit(PodBuilder("a").cpu("4").memory("8Gi")));
  EXPECT_EQ(admission_.pods(), 1u);
}

TEST_F(AdmissionTest, RefusesOneCpuTooMany) {
  ASSERT_TRUE(admit(PodBuilder("a").cpu("2")));
  const auto refused = admit(PodBuilder("b").cpu("2500m"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "OutOfcpu");
  EXPECT_EQ(refused.error().message,
            "Node didn't have enough resource: cpu, requested: 2500, used: 2000, capacity: 4000");
}

TEST_F(AdmissionTest, RefusesMemoryAndPodsThatDoNotFit) {
  EXPECT_EQ(admit(PodBuilder("a").memory("9Gi")).error().reason, "OutOfmemory");
  for (const char* name : {"b", "c", "d"}) ASSERT_TRUE(admit(PodBuilder(name)));
  EXPECT_EQ(admit(PodBuilder("e")).error().reason, "OutOfpods");
}

TEST_F(AdmissionTest, MakesRoomAgainWhenAPodHasStopped) {
  ASSERT_TRUE(admit(PodBuilder("a").cpu("4").gpus(2)));
  ASSERT_FALSE(admit(PodBuilder("b").cpu("1")));
  admission_.release("uid-a");
  EXPECT_TRUE(admit(PodBuilder("b").cpu("4").gpus(2)));
}

TEST_F(AdmissionTest, GivesDevicesBackWhenAnotherResourceDoesNotFit) {
  EXPECT_EQ(admit(PodBuilder("a").cpu("5").gpus(2)).error().reason, "OutOfcpu");
  EXPECT_EQ(devices_.used_milli(0), 0u);
}

TEST_F(AdmissionTest, SaysUnexpectedAdmissionErrorWhenTheKnownPluginHasNoHealthyDevice) {
  devices_.set_healthy(0, false);
  devices_.set_healthy(1, false);
  EXPECT_EQ(admit(PodBuilder("a").gpus(1)).error().reason, "UnexpectedAdmissionError");
}

TEST(Admission, SaysOutOfGpuWhenNoPluginEverRegistered) {
  DeviceManager devices(2);
  scheduling::Resources node;
  node.pods = 10;
  Admission admission(node, devices);
  const auto refused = admission.admit("a", demand_of(PodBuilder("a").gpus(1).raw()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "OutOfnvidia.com/gpu");
  EXPECT_EQ(refused.error().message,
            "Node didn't have enough resource: nvidia.com/gpu, requested: 1, used: 0, capacity: 0");
}

TEST(PodDemand, CountsWholeGpusOrAShare) {
  EXPECT_EQ(demand_of(PodBuilder("a").gpus(4).raw()).devices.whole, 4u);
  const PodDemand share = demand_of(PodBuilder("a").annotation("gpu-fraction", "0.25").raw());
  EXPECT_EQ(share.devices.whole, 0u);
  EXPECT_EQ(share.devices.share_milli, 250u);
}

TEST(PodDemand, ReadsFractionsExactly) {
  EXPECT_EQ(milli_of_fraction("0.5"), 500u);
  EXPECT_EQ(milli_of_fraction(".125"), 125u);
  EXPECT_EQ(milli_of_fraction("0.1239"), 123u);
  EXPECT_EQ(milli_of_fraction("1"), 0u);
  EXPECT_EQ(milli_of_fraction("half"), 0u);
  EXPECT_EQ(milli_of_fraction("0.5x"), 0u);
}

}  // namespace
}  // namespace troupe::kubelet
