// Probes: who is asked when, and what an answer does to the pod.

#include <gmock/gmock.h>

#include "messages/facts.pb.h"
#include "tests/actors/kubelet/fake_engine.h"
#include "tests/actors/kubelet/node_harness.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;
using ::testing::SizeIs;

class ProbesTest : public ::testing::Test {
 protected:
  ProbesTest() {
    hosts::NodeConfig config = small_node();
    add_workloads(config);
    harness_.emplace(config, KubeletPorts{.workloads = &engines_}, std::vector<Payload>{llama()});
    harness_->start();
    container().set_name("main");
  }
  k8s::Container& container() { return *pod_.mutable_spec()->mutable_containers(0); }
  /// Creates the pod and waits until its container has started.
  void create() {
    harness_->create(pod_);
    harness_->run(seconds(1));
  }
  std::int32_t restarts() {
    return harness_->pod("a").status().container_statuses(0).restart_count();
  }

  k8s::Pod pod_ = bound_pod("a").label("app", "llm").raw();
  FakeEngines engines_;
  std::optional<NodeHarness> harness_;
};

TEST_F(ProbesTest, APodWithoutProbesIsReadyAsSoonAsItRuns) {
  engines_.behaviour.ready = false;
  create();
  EXPECT_TRUE(harness_->ready("a"));
}

TEST_F(ProbesTest, AReadinessProbeHoldsThePodBackUntilItPasses) {
  engines_.behaviour.ready = false;
  container().mutable_readiness_probe()->set_period_seconds(5);
  create();
  EXPECT_FALSE(harness_->ready("a"));
  engines_.behaviour.ready = true;
  harness_->run(seconds(4));
  EXPECT_FALSE(harness_->ready("a"));
  harness_->run(seconds(1));
  EXPECT_TRUE(harness_->ready("a"));
}

TEST_F(ProbesTest, ThreeFailuresTakeReadinessAway) {
  container().mutable_readiness_probe()->set_period_seconds(5);
  create();
  ASSERT_TRUE(harness_->ready("a"));
  engines_.behaviour.ready = false;
  harness_->run(seconds(14));
  EXPECT_TRUE(harness_->ready("a"));
  harness_->run(seconds(1));
  EXPECT_FALSE(harness_->ready("a"));
  EXPECT_THAT(harness_->facts<facts::PodNotReady>(), SizeIs(1));
  EXPECT_EQ(restarts(), 0);
}

TEST_F(ProbesTest, TheFirstProbeWaitsForTheInitialDelay) {
  container().mutable_readiness_probe()->set_initial_delay_seconds(20);
  create();
  harness_->run(seconds(19));
  EXPECT_FALSE(harness_->ready("a"));
  harness_->run(seconds(1));
  EXPECT_TRUE(harness_->ready("a"));
}

TEST_F(ProbesTest, SilenceCountsAsAFailureAfterTheTimeout) {
  engines_.behaviour.answers = false;
  engines_.behaviour.heeds_sigterm = false;
  auto* probe = container().mutable_liveness_probe();
  probe->set_period_seconds(10);
  probe->set_timeout_seconds(2);
  probe->set_failure_threshold(2);
  probe->set_termination_grace_period_seconds(5);
  create();
  // Asked at 0 and 10 s; the second silence is a verdict at 12 s, the kill comes 5 s later.
  harness_->run(seconds(16));
  EXPECT_TRUE(harness_->pod("a").status().container_statuses(0).state().has_running());
  EXPECT_EQ(restarts(), 0);
  harness_->run(seconds(2));  // killed at 17 s, started again a second later
  EXPECT_EQ(restarts(), 1);
  const auto& last = harness_->pod("a").status().container_statuses(0).last_state().terminated();
  EXPECT_EQ(last.exit_code(), kKilledCode);
}

TEST_F(ProbesTest, ALivenessFailureRestartsTheContainer) {
  container().mutable_liveness_probe()->set_period_seconds(5);
  create();
  engines_.behaviour.alive = false;
  harness_->run(seconds(14));  // failed after 5 and 10 s
  EXPECT_THAT(engines_.made, SizeIs(1));
  harness_->run(seconds(1));
  engines_.behaviour.alive = true;
  harness_->run(seconds(20));
  EXPECT_EQ(restarts(), 1);
  ASSERT_THAT(engines_.made, SizeIs(2));
  EXPECT_EQ(engines_.made[1].placement.container_restarts(), 1u);
}

TEST_F(ProbesTest, AStartupProbeComesBeforeTheOthers) {
  engines_.behaviour.ready = false;
  engines_.behaviour.alive = false;
  auto* startup = container().mutable_startup_probe();
  startup->set_period_seconds(10);
  startup->set_failure_threshold(30);
  container().mutable_liveness_probe()->set_failure_threshold(1);
  create();
  harness_->run(seconds(100));
  EXPECT_EQ(restarts(), 0);
  EXPECT_FALSE(harness_->pod("a").status().container_statuses(0).started());
  engines_.behaviour.ready = true;
  engines_.behaviour.alive = true;
  harness_->run(seconds(10));
  EXPECT_TRUE(harness_->pod("a").status().container_statuses(0).started());
  EXPECT_TRUE(harness_->ready("a"));
}

TEST_F(ProbesTest, AStartupProbeThatNeverPassesRestartsTheContainer) {
  engines_.behaviour.ready = false;
  auto* startup = container().mutable_startup_probe();
  startup->set_period_seconds(1);
  startup->set_failure_threshold(3);
  create();
  harness_->run(seconds(4));
  EXPECT_EQ(restarts(), 1);
}

TEST_F(ProbesTest, AContainerThatNothingModelsPassesEveryProbe) {
  pod_ = bound_pod("b").raw();
  container().mutable_readiness_probe()->set_initial_delay_seconds(3);
  container().mutable_liveness_probe();
  create();
  EXPECT_FALSE(harness_->ready("b"));
  harness_->run(seconds(3));
  EXPECT_TRUE(harness_->ready("b"));
}

TEST_F(ProbesTest, AnInitialPodIsReadyAndStillAsked) {
  engines_.behaviour.ready = false;
  container().mutable_readiness_probe();
  pod_.mutable_status()->set_phase("Running");
  NodeHarness harness = [this] {
    hosts::NodeConfig config = small_node();
    add_workloads(config);
    return NodeHarness(config, {.workloads = &engines_}, {llama()});
  }();
  harness.create(pod_);
  harness.start();
  EXPECT_TRUE(harness.ready("a"));
  EXPECT_TRUE(engines_.made.back().loaded);
  harness.run(seconds(30));
  EXPECT_FALSE(harness.ready("a"));
}

}  // namespace
}  // namespace troupe::kubelet
