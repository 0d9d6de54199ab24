// Faults of a node, its GPUs and its pods, as the API server and the pods notice them.
#include <gmock/gmock.h>

#include "actors/kubelet/gpu.h"
#include "messages/facts.pb.h"
#include "messages/fault.pb.h"
#include "tests/actors/kubelet/fake_engine.h"
#include "tests/actors/kubelet/node_harness.h"

namespace troupe::kubelet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NodeFaultsTest : public ::testing::Test {
 protected:
  void start(hosts::NodeConfig config = small_node()) {
    add_workloads(config);
    harness_.emplace(config, KubeletPorts{.workloads = &engines_}, std::vector<Payload>{llama()});
    harness_->start();
  }
  void create(std::string_view name, int gpus = 0) {
    harness_->create(bound_pod(name).label("app", "llm").gpus(gpus).raw());
    harness_->run(seconds(2));
  }
  template <class M>
  void tell(M message) {
    harness_->tell("node/n1", std::move(message));
  }
  template <class M>
  void tell_pod(const std::string& name, M message) {
    fault::ForPod wrapped;
    wrapped.set_uid("uid-" + name);
    harness_->tell_payload("node/n1", Payload::of(wrapped, {Payload::of(std::move(message))}));
  }
  std::size_t leases() { return harness_->outbox<api::RenewNodeLease>().size(); }
  const k8s::ContainerStatus& container(const std::string& name) {
    return harness_->pod(name).status().container_statuses(0);
  }

  FakeEngines engines_;
  std::optional<NodeHarness> harness_;
};

TEST_F(NodeFaultsTest, AKubeletThatHangsRenewsNoLeaseAndItsPodsGoOn) {
  start();
  create("a");
  tell(fault::HangKubelet{});
  const std::size_t before = leases();
  harness_->run(minutes(2));
  EXPECT_EQ(leases(), before);
  EXPECT_TRUE(harness_->alive("node/n1/pod/uid-a"));
  fault::HangKubelet heals;
  heals.set_heal(true);
  tell(heals);
  harness_->run(seconds(15));
  EXPECT_GT(leases(), before);
}

TEST_F(NodeFaultsTest, WhatHappensWhileAKubeletHangsIsSeenAfterwards) {
  start();
  tell(fault::HangKubelet{});
  create("a");
  EXPECT_EQ(harness_->pod("a").status().phase(), "Pending");
  fault::HangKubelet heals;
  heals.set_heal(true);
  tell(heals);
  harness_->run(seconds(2));
  EXPECT_EQ(harness_->pod("a").status().phase(), "Running");
}

TEST_F(NodeFaultsTest, WithoutItsDevicePluginANodeOffersNoGpuAndPodsKeepTheirs) {
  start();
  create("a", 1);
  tell(fault::DropDevicePlugin{});
  harness_->run(seconds(10));
  EXPECT_EQ(harness_->allocatable_gpus(), "0");
  EXPECT_TRUE(harness_->ready("a"));
  fault::DropDevicePlugin heals;
  heals.set_heal(true);
  tell(heals);
  harness_->run(seconds(10));
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
}

TEST_F(NodeFaultsTest, APluginThatIsAboutToRegisterWaitsUntilItMay) {
  hosts::NodeConfig config = small_node();
  config.mutable_device_plugin()->set_a_ns(5'000'000'000);
  start(config);
  tell(fault::DropDevicePlugin{});
  harness_->run(seconds(30));
  EXPECT_EQ(harness_->allocatable_gpus(), "0");
  fault::DropDevicePlugin heals;
  heals.set_heal(true);
  tell(heals);
  harness_->run(seconds(10));
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
}

TEST_F(NodeFaultsTest, AFailedPullBacksOffAndIsTriedAgain) {
  hosts::NodeConfig config = small_node();
  config.set_image_bandwidth_bytes_per_s(1 << 30);
  config.set_default_image_bytes(1 << 30);
  start(config);
  tell(fault::FailImagePulls{});
  harness_->create(bound_pod("a").label("app", "llm").raw());
  EXPECT_EQ(container("a").state().waiting().reason(), "ErrImagePull");
  harness_->run(seconds(3));
  EXPECT_EQ(container("a").state().waiting().reason(), "ImagePullBackOff");
  fault::FailImagePulls heals;
  heals.set_heal(true);
  tell(heals);
  harness_->run(seconds(5));
  EXPECT_EQ(container("a").state().waiting().reason(), "ImagePullBackOff");  // it still waits
  harness_->run(seconds(5));
  EXPECT_EQ(harness_->pod("a").status().phase(), "Running");
}

TEST_F(NodeFaultsTest, APullThatGoesOnFailingWaitsTwiceAsLong) {
  hosts::NodeConfig config = small_node();
  config.set_image_bandwidth_bytes_per_s(1 << 30);
  config.set_default_image_bytes(1 << 30);
  start(config);
  tell(fault::FailImagePulls{});
  harness_->create(bound_pod("a").label("app", "llm").raw());
  harness_->run(seconds(10));
  EXPECT_EQ(container("a").state().waiting().reason(), "ErrImagePull");  // the second attempt
  harness_->run(seconds(19));
  EXPECT_EQ(container("a").state().waiting().reason(), "ImagePullBackOff");
  harness_->run(seconds(1));
  EXPECT_EQ(container("a").state().waiting().reason(), "ErrImagePull");  // the third
}

TEST_F(NodeFaultsTest, AnOutOfMemoryKillIsToldByItsReasonAndCode) {
  start();
  create("a");
  fault::KillContainer kill;
  kill.set_exit_code(137);
  kill.set_reason("OOMKilled");
  tell_pod("a", kill);
  harness_->run(seconds(2));
  EXPECT_EQ(container("a").last_state().terminated().reason(), "OOMKilled");
  EXPECT_EQ(container("a").last_state().terminated().exit_code(), 137);
  EXPECT_EQ(container("a").restart_count(), 1);
}

TEST_F(NodeFaultsTest, AFaultOfAPodThatIsGoneIsNone) {
  start();
  tell_pod("a", fault::KillContainer{});
  EXPECT_FALSE(harness_->exists("a"));
}

TEST_F(NodeFaultsTest, ReadinessFailsAndComesBackWithoutARestart) {
  start();
  k8s::Pod pod = bound_pod("a").label("app", "llm").raw();
  auto& probe = *pod.mutable_spec()->mutable_containers(0)->mutable_readiness_probe();
  probe.set_period_seconds(5);
  harness_->create(pod);
  harness_->run(seconds(2));
  ASSERT_TRUE(harness_->ready("a"));
  fault::FailProbes fails;
  fails.add_probes(workload::ProbeRequest::READINESS);
  tell_pod("a", fails);
  harness_->run(seconds(20));
  EXPECT_FALSE(harness_->ready("a"));
  EXPECT_EQ(container("a").restart_count(), 0);
  fails.set_heal(true);
  tell_pod("a", fails);
  harness_->run(seconds(10));
  EXPECT_TRUE(harness_->ready("a"));
}

TEST_F(NodeFaultsTest, LivenessThatFailsRestartsTheContainer) {
  start();
  k8s::Pod pod = bound_pod("a").label("app", "llm").raw();
  pod.mutable_spec()->set_termination_grace_period_seconds(1);
  auto& probe = *pod.mutable_spec()->mutable_containers(0)->mutable_liveness_probe();
  probe.set_period_seconds(5);
  harness_->create(pod);
  harness_->run(seconds(2));
  fault::FailProbes fails;
  fails.add_probes(workload::ProbeRequest::LIVENESS);
  tell_pod("a", fails);
  harness_->run(seconds(20));
  EXPECT_GE(container("a").restart_count(), 1);
}

TEST_F(NodeFaultsTest, AnNvlinkErrorKillsThoseWhoUseSeveralGpus) {
  hosts::NodeConfig config = small_node();
  config.set_gpus(3);
  start(config);
  create("pair", 2);
  create("single", 1);
  harness_->tell("node/n1/gpu/0", fault::BreakNvlink{});
  harness_->tell("node/n1/gpu/2", fault::BreakNvlink{});
  harness_->run(seconds(1));
  EXPECT_FALSE(harness_->ready("pair"));
  EXPECT_TRUE(harness_->ready("single"));
}

TEST_F(NodeFaultsTest, ARowThatIsRemappedStopsNobody) {
  start();
  create("a", 1);
  workload::FailGpu fail;
  fail.set_xid(63);
  harness_->tell("node/n1/gpu/0", fail);
  harness_->run(seconds(15));
  EXPECT_TRUE(harness_->ready("a"));
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
  EXPECT_THAT(harness_->facts<facts::XidReported>(), SizeIs(1));
  EXPECT_THAT(harness_->facts<facts::GpuFaulted>(), IsEmpty());
}

TEST_F(NodeFaultsTest, AMemoryWithoutASpareRowTakesTheGpuAway) {
  start();
  create("a", 1);
  fault::DegradeEcc worn;
  worn.set_rows(kSpareRows);
  harness_->tell("node/n1/gpu/0", worn);
  harness_->run(seconds(15));
  EXPECT_EQ(harness_->allocatable_gpus(), "2");
  worn.set_rows(1);
  harness_->tell("node/n1/gpu/0", worn);
  harness_->run(seconds(15));
  EXPECT_EQ(harness_->allocatable_gpus(), "1");
  EXPECT_TRUE(harness_->ready("a"));
}

TEST_F(NodeFaultsTest, AJobOnAThrottledGpuTakesLonger) {
  hosts::NodeConfig config = small_node();
  hosts::WorkloadProfile& profile = *config.add_workloads();
  auto* label = profile.add_match();
  label->set_key("app");
  label->set_value("batch");
  profile.set_kind("job");
  profile.mutable_duration()->set_a_ns(100'000'000'000);
  start(config);
  k8s::Pod job = bound_pod("j").label("app", "batch").gpus(1).raw();
  job.mutable_spec()->set_restart_policy("Never");
  harness_->create(job);
  harness_->run(seconds(51));  // started after one, half done
  fault::ThrottleGpu hot;
  hot.set_clock_permille(500);
  harness_->tell("node/n1/gpu/0", hot);
  harness_->run(seconds(99));
  EXPECT_EQ(harness_->pod("j").status().phase(), "Running");
  harness_->run(seconds(1));
  EXPECT_EQ(harness_->pod("j").status().phase(), "Succeeded");
}

}  // namespace
}  // namespace troupe::kubelet
