// From bound to running: admission, images, containers, and the facts that accounting folds.

#include <gmock/gmock.h>

#include "messages/facts.pb.h"
#include "tests/actors/kubelet/fake_engine.h"
#include "tests/actors/kubelet/node_harness.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class PodStartTest : public ::testing::Test {
 protected:
  void start(hosts::NodeConfig config = small_node()) {
    harness_.emplace(std::move(config));
    harness_->start();
    harness_->fact_names();
  }
  const k8s::PodStatus& status(const std::string& name) { return harness_->pod(name).status(); }

  std::optional<NodeHarness> harness_;
};

TEST_F(PodStartTest, RunsAPodThatIsBoundHere) {
  start();
  harness_->create(bound_pod("a").raw());
  EXPECT_EQ(status("a").phase(), "Pending");
  EXPECT_EQ(status("a").container_statuses(0).state().waiting().reason(), "ContainerCreating");
  harness_->run(seconds(1));
  EXPECT_EQ(status("a").phase(), "Running");
  EXPECT_TRUE(harness_->ready("a"));
  EXPECT_EQ(status("a").pod_ip(), "node/n1/pod/uid-a");
  EXPECT_EQ(status("a").host_ip(), "node/n1");
  EXPECT_TRUE(harness_->alive("node/n1/pod/uid-a"));
}

TEST_F(PodStartTest, WritesTwoStatusesForAPlainStart) {
  start();
  harness_->create(bound_pod("a").raw());
  harness_->run(seconds(5));
  EXPECT_EQ(harness_->status_writes("a"), 2u);
}

TEST_F(PodStartTest, IgnoresPodsOfOtherNodes) {
  start();
  harness_->create(testing::PodBuilder("a").on("n2", "Pending").raw());
  harness_->run(seconds(5));
  EXPECT_EQ(status("a").phase(), "Pending");
  EXPECT_EQ(harness_->status_writes("a"), 0u);
}

TEST_F(PodStartTest, StatesDevicesStartAndReadinessInOrder) {
  start();
  harness_->create(bound_pod("a").gpus(2).raw());
  harness_->run(seconds(5));
  EXPECT_THAT(harness_->fact_names(),
              ElementsAre("DevicesAssigned", "WorkloadStage", "PodStarted", "PodReady"));
  const auto assigned = harness_->facts<facts::DevicesAssigned>();
  ASSERT_THAT(assigned, SizeIs(1));
  EXPECT_THAT(assigned[0]->gpus(), ElementsAre(0, 1));
  EXPECT_EQ(assigned[0]->milli_gpu_each(), 1000u);
}

TEST_F(PodStartTest, LetsTwoPodsShareAGpu) {
  start();
  harness_->create(bound_pod("a").annotation("gpu-fraction", "0.5").raw());
  harness_->create(bound_pod("b").annotation("gpu-fraction", "0.25").raw());
  harness_->run(seconds(2));
  const auto assigned = harness_->facts<facts::DevicesAssigned>();
  ASSERT_THAT(assigned, SizeIs(2));
  EXPECT_THAT(assigned[0]->gpus(), ElementsAre(0));
  EXPECT_EQ(assigned[0]->milli_gpu_each(), 500u);
  EXPECT_THAT(assigned[1]->gpus(), ElementsAre(0));
}

TEST_F(PodStartTest, RefusesAPodWhoseGpusAreTaken) {
  start();
  harness_->create(bound_pod("a").gpus(2).raw());
  harness_->create(bound_pod("b").gpus(1).raw());
  EXPECT_EQ(status("b").phase(), "Failed");
  EXPECT_EQ(status("b").reason(), "UnexpectedAdmissionError");
  const auto finished = harness_->facts<facts::PodFinished>();
  ASSERT_THAT(finished, SizeIs(1));
  EXPECT_EQ(finished[0]->phase(), "Failed");
  EXPECT_EQ(finished[0]->reason(), "UnexpectedAdmissionError");
  EXPECT_FALSE(harness_->alive("node/n1/pod/uid-b"));
}

TEST_F(PodStartTest, RefusesAPodForCpu) {
  start();
  harness_->create(bound_pod("a").cpu("17").raw());
  EXPECT_EQ(status("a").reason(), "OutOfcpu");
}

TEST_F(PodStartTest, RefusesAGpuPodBeforeTheDevicePluginRegistered) {
  hosts::NodeConfig config = small_node();
  config.mutable_device_plugin()->set_a_ns(60'000'000'000);
  start(config);
  harness_->create(bound_pod("a").gpus(1).raw());
  EXPECT_EQ(status("a").reason(), "OutOfnvidia.com/gpu");
}

TEST_F(PodStartTest, RefusesAPodWhoseGpusFailedBetweenBindAndAdmission) {
  start();
  workload::FailGpu fault;
  fault.set_xid(79);
  for (const char* gpu : {"node/n1/gpu/0", "node/n1/gpu/1"}) harness_->tell(gpu, fault);
  harness_->create(bound_pod("a").gpus(1).raw());
  EXPECT_EQ(status("a").reason(), "UnexpectedAdmissionError");
}

TEST_F(PodStartTest, PullsAnImageOnceAndOneAfterTheOther) {
  hosts::NodeConfig config = small_node();
  config.set_image_bandwidth_bytes_per_s(100);
  config.set_default_image_bytes(1000);
  start(config);
  const auto with_image = [](const char* name, const char* image) {
    k8s::Pod pod = bound_pod(name).raw();
    pod.mutable_spec()->mutable_containers(0)->set_image(image);
    return pod;
  };
  harness_->create(with_image("a", "vllm"));
  harness_->create(with_image("b", "vllm"));
  harness_->create(with_image("c", "other"));
  EXPECT_EQ(harness_->facts<facts::WorkloadStage>()[0]->stage(), facts::WorkloadStage::IMAGE);
  harness_->run(seconds(11));
  EXPECT_EQ(status("a").phase(), "Running");
  EXPECT_EQ(status("b").phase(), "Running");
  EXPECT_EQ(status("c").phase(), "Pending");
  harness_->run(seconds(10));
  EXPECT_EQ(status("c").phase(), "Running");
  harness_->create(with_image("d", "vllm"));
  harness_->run(seconds(1));
  EXPECT_EQ(status("d").phase(), "Running");
}

TEST_F(PodStartTest, StartsContainersOneAfterTheOther) {
  start();
  k8s::Pod pod = bound_pod("a").raw();
  pod.mutable_spec()->add_init_containers()->set_name("init");
  auto* proxy = pod.mutable_spec()->add_init_containers();
  proxy->set_name("proxy");
  proxy->set_restart_policy("Always");
  pod.mutable_spec()->add_containers()->set_name("log");
  harness_->create(pod);
  harness_->run(seconds(3));
  EXPECT_EQ(status("a").phase(), "Pending");
  EXPECT_TRUE(is_true(status("a").conditions(), "Initialized"));
  EXPECT_TRUE(status("a").container_statuses(0).state().has_running());
  EXPECT_TRUE(status("a").container_statuses(1).state().has_waiting());
  harness_->run(seconds(1));
  EXPECT_EQ(status("a").phase(), "Running");
  EXPECT_TRUE(harness_->ready("a"));
  EXPECT_THAT(harness_->facts<facts::PodStarted>(), SizeIs(1));
}

TEST_F(PodStartTest, BeginsWithAnInitialPodRunningAndReady) {
  harness_.emplace(small_node());
  k8s::Pod pod = bound_pod("a").gpus(1).raw();
  pod.mutable_status()->set_phase("Running");
  harness_->create(pod);
  harness_->start();
  EXPECT_EQ(status("a").phase(), "Running");
  EXPECT_TRUE(harness_->ready("a"));
  EXPECT_TRUE(harness_->alive("node/n1/pod/uid-a"));
  EXPECT_THAT(harness_->facts<facts::DevicesAssigned>(), SizeIs(1));
}

TEST_F(PodStartTest, LeavesFinishedPodsAlone) {
  harness_.emplace(small_node());
  k8s::Pod pod = bound_pod("a").raw();
  pod.mutable_status()->set_phase("Succeeded");
  harness_->create(pod);
  harness_->start();
  harness_->run(seconds(5));
  EXPECT_EQ(harness_->status_writes("a"), 0u);
}

TEST_F(PodStartTest, RepeatsAStatusThatFailedToBeWritten) {
  start();
  harness_->create(bound_pod("a").raw());
  harness_->fail_next = 1;
  harness_->run(seconds(5));
  EXPECT_EQ(status("a").phase(), "Pending");
  harness_->run(seconds(6));
  EXPECT_EQ(status("a").phase(), "Running");
}

TEST_F(PodStartTest, SaysAgainThatAPodIsReadyWhenAnotherSaidThatItIsNot) {
  start();
  harness_->create(bound_pod("a").raw());
  harness_->run(seconds(2));
  harness_->change<k8s::Pod>("default/a", [&](k8s::Pod& pod) {
    set_condition(*pod.mutable_status()->mutable_conditions(), {"Ready", "False"}, harness_->now());
  });
  EXPECT_TRUE(harness_->ready("a"));
}

}  // namespace
}  // namespace troupe::kubelet
