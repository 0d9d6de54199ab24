// Containers that end and start again, and nodes that do.

#include <gmock/gmock.h>

#include "messages/facts.pb.h"
#include "tests/actors/kubelet/fake_engine.h"
#include "tests/actors/kubelet/node_harness.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;
using ::testing::SizeIs;

class RestartTest : public ::testing::Test {
 protected:
  RestartTest() {
    hosts::NodeConfig config = small_node();
    config.mutable_device_plugin()->set_a_ns(0);
    add_workloads(config);
    config_ = config;
  }
  void start() {
    harness_.emplace(config_, KubeletPorts{.workloads = &engines_}, std::vector<Payload>{llama()});
    harness_->start();
    harness_->run(seconds(10));
  }
  void create(const k8s::Pod& pod) {
    harness_->create(pod);
    harness_->run(seconds(1));
  }
  void crash(const std::string& name) {
    harness_->tell("node/n1/pod/uid-" + name, workload::JobDone{});
  }
  const k8s::ContainerStatus& container(const std::string& name) {
    return harness_->pod(name).status().container_statuses(0);
  }
  static k8s::Pod engine_pod(const std::string& policy = "Always") {
    k8s::Pod pod = bound_pod("a").label("app", "llm").gpus(1).raw();
    pod.mutable_spec()->set_restart_policy(policy);
    return pod;
  }

  FakeEngines engines_;
  hosts::NodeConfig config_;
  std::optional<NodeHarness> harness_;
};

TEST_F(RestartTest, ACrashedContainerStartsAgainInItsPodAndOnItsGpu) {
  start();
  create(engine_pod());
  crash("a");
  EXPECT_EQ(harness_->facts<facts::WorkloadStage>().back()->stage(), facts::WorkloadStage::FAILED);
  harness_->run(seconds(1));
  EXPECT_EQ(container("a").restart_count(), 1);
  EXPECT_TRUE(container("a").state().has_running());
  EXPECT_EQ(container("a").last_state().terminated().exit_code(), 1);
  EXPECT_THAT(harness_->facts<facts::DevicesAssigned>(), SizeIs(1));
  EXPECT_THAT(harness_->facts<facts::DevicesReleased>(), SizeIs(0));
}

TEST_F(RestartTest, ASecondCrashWaitsInCrashLoopBackOff) {
  start();
  create(engine_pod());
  crash("a");
  harness_->run(seconds(1));
  crash("a");
  EXPECT_EQ(container("a").state().waiting().reason(), "CrashLoopBackOff");
  EXPECT_EQ(harness_->pod("a").status().phase(), "Running");
  EXPECT_FALSE(harness_->ready("a"));
  harness_->run(seconds(10));
  EXPECT_EQ(container("a").restart_count(), 1);
  harness_->run(seconds(1));
  EXPECT_EQ(container("a").restart_count(), 2);
}

TEST_F(RestartTest, ANeverRestartedPodFails) {
  start();
  create(engine_pod("Never"));
  crash("a");
  EXPECT_EQ(harness_->pod("a").status().phase(), "Failed");
  EXPECT_THAT(harness_->facts<facts::DevicesReleased>(), SizeIs(1));
  EXPECT_EQ(harness_->facts<facts::PodFinished>()[0]->phase(), "Failed");
}

TEST_F(RestartTest, AMessageOfAFormerLifeIsIgnored) {
  start();
  create(engine_pod());
  crash("a");
  crash("a");  // nobody is there
  harness_->run(seconds(1));
  EXPECT_EQ(container("a").restart_count(), 1);
}

TEST_F(RestartTest, AFailedGpuKillsItsPodWhichCrashLoopsUntilTheRepair) {
  start();
  create(engine_pod());
  workload::FailGpu fault;
  fault.set_xid(79);
  harness_->tell("node/n1/gpu/0", fault);
  EXPECT_FALSE(harness_->alive("node/n1/pod/uid-a"));
  harness_->run(seconds(5));
  EXPECT_EQ(container("a").state().waiting().reason(), "CrashLoopBackOff");
  EXPECT_EQ(container("a").last_state().terminated().exit_code(), 1);
  harness_->tell("node/n1/gpu/0", workload::RepairGpu{});
  harness_->run(seconds(10));
  EXPECT_TRUE(harness_->alive("node/n1/pod/uid-a"));
  EXPECT_TRUE(harness_->ready("a"));
}

TEST_F(RestartTest, AnApplicationsXidKillsItsPodOnce) {
  start();
  create(engine_pod());
  workload::FailGpu fault;
  fault.set_xid(31);
  harness_->tell("node/n1/gpu/0", fault);
  harness_->run(seconds(2));
  EXPECT_EQ(container("a").restart_count(), 1);
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
}

TEST_F(RestartTest, TheOtherPodsOfTheNodeDoNotNoticeAFailedGpu) {
  start();
  create(engine_pod());
  create(bound_pod("b").label("app", "llm").gpus(1).raw());
  workload::FailGpu fault;
  fault.set_xid(79);
  harness_->tell("node/n1/gpu/0", fault);
  harness_->run(seconds(5));
  EXPECT_TRUE(harness_->ready("b"));
}

TEST_F(RestartTest, ANodeThatComesBackTakesItsNodeObjectOver) {
  start();
  harness_->crash_and_restart();
  harness_->run(seconds(1));
  EXPECT_TRUE(is_true(harness_->node().status().conditions(), "Ready"));
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
  EXPECT_THAT(harness_->facts<facts::InstanceLaunched>(), SizeIs(1));
}

TEST_F(RestartTest, ARebootResetsAFailedGpu) {
  start();
  workload::FailGpu fault;
  fault.set_xid(79);
  harness_->tell("node/n1/gpu/1", fault);
  harness_->crash_and_restart();
  EXPECT_THAT(harness_->facts<facts::GpuRecovered>(), SizeIs(1));
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
  harness_->crash_and_restart();
  EXPECT_THAT(harness_->facts<facts::GpuRecovered>(), SizeIs(1));
}

TEST_F(RestartTest, ANewInstanceOfTheSameNameIsNoRestart) {
  start();
  config_.set_instance("cloud:///a/i-2");
  config_.mutable_boot()->set_a_ns(25'000'000'000);
  harness_->reconfigure(config_);
  harness_->crash_and_restart();
  const std::size_t before = harness_->requests().size();
  harness_->run(seconds(24));
  EXPECT_EQ(harness_->requests().size(), before);  // it boots
}

TEST_F(RestartTest, ANodeThatComesBackStartsItsPodsAgain) {
  start();
  k8s::Pod pod = bound_pod("a").label("app", "llm").raw();
  create(pod);
  harness_->crash_and_restart();
  EXPECT_FALSE(harness_->ready("a"));
  EXPECT_EQ(container("a").state().terminated().reason(), "ContainerStatusUnknown");
  harness_->run(seconds(1));
  EXPECT_TRUE(harness_->ready("a"));
  EXPECT_EQ(container("a").restart_count(), 1);
  EXPECT_FALSE(engines_.made.back().loaded);
}

TEST_F(RestartTest, ANodeThatComesBackFailsAPodThatNeverRestarts) {
  start();
  k8s::Pod pod = bound_pod("a").label("app", "train").raw();
  pod.mutable_spec()->set_restart_policy("Never");
  create(pod);
  harness_->crash_and_restart();
  EXPECT_EQ(harness_->pod("a").status().phase(), "Failed");
}

TEST_F(RestartTest, ANodeThatComesBackRefusesItsGpuPodsUntilThePluginRegisters) {
  start();
  create(engine_pod());
  config_.mutable_device_plugin()->set_a_ns(15'000'000'000);
  harness_->reconfigure(config_);
  harness_->crash_and_restart();
  EXPECT_EQ(harness_->pod("a").status().phase(), "Failed");
  EXPECT_EQ(harness_->pod("a").status().reason(), "UnexpectedAdmissionError");
  EXPECT_EQ(harness_->allocatable_gpus(), "0");
  harness_->run(seconds(25));
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
}

TEST_F(RestartTest, ANodeThatComesBackRemovesPodsThatWereAskedToGo) {
  engines_.behaviour.heeds_sigterm = false;
  start();
  create(engine_pod());
  harness_->delete_pod("a", 30);
  harness_->crash_and_restart();
  harness_->run(Duration::zero());
  EXPECT_FALSE(harness_->exists("a"));
}

}  // namespace
}  // namespace troupe::kubelet
