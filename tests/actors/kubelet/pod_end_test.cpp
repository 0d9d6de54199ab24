// Deletion: preStop, SIGTERM, grace, SIGKILL, devices, and the object last.

#include <gmock/gmock.h>

#include "messages/facts.pb.h"
#include "tests/actors/kubelet/fake_engine.h"
#include "tests/actors/kubelet/node_harness.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class PodEndTest : public ::testing::Test {
 protected:
  PodEndTest() {
    hosts::NodeConfig config = small_node();
    add_workloads(config);
    harness_.emplace(config, KubeletPorts{.workloads = &engines_}, std::vector<Payload>{llama()});
    harness_->start();
  }
  void create(k8s::Pod pod) {
    harness_->create(std::move(pod));
    harness_->run(seconds(2));
    harness_->fact_names();
  }
  static k8s::Pod engine_pod() { return bound_pod("a").label("app", "llm").gpus(1).raw(); }

  FakeEngines engines_;
  std::optional<NodeHarness> harness_;
};

TEST_F(PodEndTest, StopsTheWorkloadThenReleasesThenRemovesTheObject) {
  create(engine_pod());
  harness_->delete_pod("a", 30);
  harness_->run(Duration::zero());
  EXPECT_FALSE(harness_->exists("a"));
  EXPECT_FALSE(harness_->alive("node/n1/pod/uid-a"));
  EXPECT_THAT(harness_->fact_names(), ElementsAre("PodNotReady", "PodFinished", "DevicesReleased"));
  EXPECT_EQ(harness_->facts<facts::PodFinished>()[0]->reason(), "Deleted");
}

TEST_F(PodEndTest, KeepsTheDevicesUntilTheGraceIsOver) {
  engines_.behaviour.heeds_sigterm = false;
  create(engine_pod());
  harness_->delete_pod("a", 30);
  harness_->run(seconds(29));
  EXPECT_TRUE(harness_->exists("a"));
  EXPECT_TRUE(harness_->alive("node/n1/pod/uid-a"));
  EXPECT_THAT(harness_->facts<facts::DevicesReleased>(), SizeIs(0));
  harness_->run(seconds(1));
  EXPECT_FALSE(harness_->exists("a"));
  EXPECT_FALSE(harness_->alive("node/n1/pod/uid-a"));
  EXPECT_THAT(harness_->facts<facts::DevicesReleased>(), SizeIs(1));
}

TEST_F(PodEndTest, ShortensTheGraceWhenAskedAgain) {
  engines_.behaviour.heeds_sigterm = false;
  create(engine_pod());
  harness_->delete_pod("a", 300);
  harness_->run(seconds(10));
  harness_->delete_pod("a", 5);
  harness_->run(seconds(5));
  EXPECT_FALSE(harness_->exists("a"));
}

TEST_F(PodEndTest, WaitsForThePreStopHookWithinTheGrace) {
  k8s::Pod pod = engine_pod();
  pod.mutable_spec()
      ->mutable_containers(0)
      ->mutable_lifecycle()
      ->mutable_pre_stop()
      ->mutable_sleep()
      ->set_seconds(12);
  create(pod);
  harness_->delete_pod("a", 30);
  harness_->run(seconds(11));
  EXPECT_TRUE(harness_->exists("a"));
  harness_->run(seconds(1));
  EXPECT_FALSE(harness_->exists("a"));
}

TEST_F(PodEndTest, EndsAPodThatHasNotStarted) {
  harness_->create(engine_pod());
  harness_->delete_pod("a", 30);
  EXPECT_FALSE(harness_->exists("a"));
  harness_->run(seconds(5));
  EXPECT_FALSE(harness_->alive("node/n1/pod/uid-a"));
}

TEST_F(PodEndTest, KillsWithinASecondWhatTheClusterForgot) {
  engines_.behaviour.heeds_sigterm = false;
  create(engine_pod());
  harness_->remove_pod_object("a");
  EXPECT_TRUE(harness_->alive("node/n1/pod/uid-a"));
  harness_->run(seconds(1));
  EXPECT_FALSE(harness_->alive("node/n1/pod/uid-a"));
  EXPECT_THAT(harness_->facts<facts::DevicesReleased>(), SizeIs(1));
}

TEST_F(PodEndTest, RefusesAPodForTheGpuOfOneThatStillStops) {
  engines_.behaviour.heeds_sigterm = false;
  k8s::Pod pod = bound_pod("a").label("app", "llm").gpus(2).raw();
  create(pod);
  harness_->remove_pod_object("a");
  harness_->create(bound_pod("b").gpus(1).raw());
  EXPECT_EQ(harness_->pod("b").status().reason(), "UnexpectedAdmissionError");
}

TEST_F(PodEndTest, TakesTheNextPodOfTheSameNameForAnother) {
  create(engine_pod());
  harness_->remove_pod_object("a");
  k8s::Pod next = engine_pod();
  next.mutable_metadata()->set_uid("uid-a2");
  harness_->create(next);
  harness_->run(seconds(2));
  EXPECT_TRUE(harness_->alive("node/n1/pod/uid-a2"));
  EXPECT_EQ(harness_->pod("a").status().phase(), "Running");
}

TEST_F(PodEndTest, EndsAJobWithItsCode) {
  k8s::Pod pod = bound_pod("a").label("app", "train").gpus(1).raw();
  pod.mutable_spec()->set_restart_policy("Never");
  create(pod);
  harness_->run(seconds(60));
  EXPECT_EQ(harness_->pod("a").status().phase(), "Succeeded");
  EXPECT_THAT(harness_->fact_names(),
              ElementsAre("WorkloadIdle", "PodNotReady", "PodFinished", "DevicesReleased"));
  EXPECT_TRUE(harness_->exists("a"));  // its owner removes it
}

TEST_F(PodEndTest, EndsTheContainersBesideAJobThatIsDone) {
  k8s::Pod pod = bound_pod("a").label("app", "train").raw();
  pod.mutable_spec()->set_restart_policy("OnFailure");
  pod.mutable_spec()->add_containers()->set_name("log");
  create(pod);
  harness_->run(seconds(61));
  EXPECT_EQ(harness_->pod("a").status().phase(), "Succeeded");
}

TEST_F(PodEndTest, FailsAPodThatPassesItsDeadline) {
  k8s::Pod pod = bound_pod("a").label("app", "train").raw();
  pod.mutable_spec()->set_restart_policy("Never");
  pod.mutable_spec()->set_active_deadline_seconds(20);
  create(pod);
  harness_->run(seconds(20));
  EXPECT_EQ(harness_->pod("a").status().phase(), "Failed");
  EXPECT_EQ(harness_->pod("a").status().reason(), "DeadlineExceeded");
}

}  // namespace
}  // namespace troupe::kubelet
