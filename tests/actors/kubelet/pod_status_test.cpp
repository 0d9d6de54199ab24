#include "actors/kubelet/pod_status.h"

#include <gtest/gtest.h>

#include "messages/conditions.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;

constexpr SimTime kNow = kTimeZero + seconds(100);

class PodStatusTest : public ::testing::Test {
 protected:
  void policy(const std::string& value) { pod_.mutable_spec()->set_restart_policy(value); }
  void make() { set_.emplace(std::make_shared<const k8s::Pod>(pod_)); }
  void end(std::uint32_t index, int code) {
    set_->mark_running(index, kNow);
    set_->mark_terminated(index, {{}, kNow, code, code == 0 ? "Completed" : "Error"});
  }
  PodFacts facts() const {
    return {.pod = pod_,
            .containers = *set_,
            .now = kNow,
            .admitted_at = kTimeZero,
            .pod_ip = "node/n1/pod/u",
            .host_ip = "node/n1",
            .over = over_,
            .failed = failed_};
  }
  const k8s::Condition& condition(const k8s::PodStatus& status, const char* type) const {
    return *find_condition(status.conditions(), type);
  }

  k8s::Pod pod_ = testing::PodBuilder("a").raw();
  std::optional<ContainerSet> set_;
  bool over_ = false;
  std::optional<Rejection> failed_;
};

TEST_F(PodStatusTest, IsPendingUntilTheLastContainerHasStarted) {
  pod_.mutable_spec()->add_containers()->set_name("log");
  make();
  EXPECT_EQ(phase_of(facts()), "Pending");
  set_->mark_running(0, kNow);
  EXPECT_EQ(phase_of(facts()), "Pending");
  set_->mark_running(1, kNow);
  EXPECT_EQ(phase_of(facts()), "Running");
}

TEST_F(PodStatusTest, ReadsThePhaseOfEndedContainersByThePolicy) {
  for (const auto& [policy_name, code, expected] : {std::tuple{"Always", 0, "Running"},
                                                    {"Always", 1, "Running"},
                                                    {"OnFailure", 0, "Succeeded"},
                                                    {"OnFailure", 1, "Running"},
                                                    {"Never", 0, "Succeeded"},
                                                    {"Never", 1, "Failed"}}) {
    policy(policy_name);
    make();
    end(0, code);
    EXPECT_EQ(phase_of(facts()), expected) << policy_name << " " << code;
  }
}

TEST_F(PodStatusTest, ReadsThePhaseOfADeletedPodByHowItsContainersEnded) {
  make();
  end(0, 0);
  over_ = true;
  EXPECT_EQ(phase_of(facts()), "Succeeded");
  make();
  end(0, 143);
  EXPECT_EQ(phase_of(facts()), "Failed");
  make();
  EXPECT_EQ(phase_of(facts()), "Failed");  // nothing ever ran
}

TEST_F(PodStatusTest, IsFailedWithTheReasonOfItsRejection) {
  failed_ = Rejection{"OutOfcpu", "Node didn't have enough resource"};
  over_ = true;
  make();
  const k8s::PodStatus status = status_of(facts());
  EXPECT_EQ(status.phase(), "Failed");
  EXPECT_EQ(status.reason(), "OutOfcpu");
}

TEST_F(PodStatusTest, IsReadyWhenEveryContainerIs) {
  make();
  set_->mark_running(0, kNow);
  EXPECT_FALSE(is_ready(facts()));
  EXPECT_EQ(condition(status_of(facts()), "Ready").message(),
            "containers with unready status: [main]");
  set_->at(0).ready = true;
  EXPECT_TRUE(is_ready(facts()));
  EXPECT_EQ(condition(status_of(facts()), "ContainersReady").status(), "True");
}

TEST_F(PodStatusTest, WaitsForReadinessGates) {
  pod_.mutable_spec()->add_readiness_gates()->set_condition_type("example.com/gate");
  make();
  set_->mark_running(0, kNow);
  set_->at(0).ready = true;
  EXPECT_FALSE(is_ready(facts()));
  EXPECT_EQ(condition(status_of(facts()), "Ready").reason(), "ReadinessGatesNotReady");
  set_condition(*pod_.mutable_status()->mutable_conditions(), {"example.com/gate", "True"}, kNow);
  EXPECT_TRUE(is_ready(facts()));
}

TEST_F(PodStatusTest, KeepsTheConditionsOfOthersAndTheTimesOfUnchangedOnes) {
  set_condition(*pod_.mutable_status()->mutable_conditions(), {"DisruptionTarget", "True"},
                kTimeZero);
  set_condition(*pod_.mutable_status()->mutable_conditions(), {"PodScheduled", "True"},
                kTimeZero + seconds(3));
  make();
  const k8s::PodStatus status = status_of(facts());
  EXPECT_EQ(condition(status, "DisruptionTarget").status(), "True");
  EXPECT_EQ(condition(status, "PodScheduled").last_transition_time(), 3'000'000'000);
  EXPECT_EQ(condition(status, "Ready").last_transition_time(), to_ns(kNow));
}

TEST_F(PodStatusTest, ShowsACrashLoopWithTheRunBefore) {
  make();
  end(0, 1);
  set_->mark_crash_loop(0);
  const k8s::PodStatus status = status_of(facts());
  EXPECT_EQ(status.container_statuses(0).state().waiting().reason(), "CrashLoopBackOff");
  EXPECT_EQ(status.container_statuses(0).last_state().terminated().exit_code(), 1);
  EXPECT_EQ(status.phase(), "Running");
}

TEST_F(PodStatusTest, ListsInitContainersApart) {
  pod_.mutable_spec()->add_init_containers()->set_name("init");
  make();
  end(0, 0);
  const k8s::PodStatus status = status_of(facts());
  ASSERT_EQ(status.init_container_statuses_size(), 1);
  EXPECT_TRUE(status.init_container_statuses(0).ready());
  EXPECT_EQ(status.container_statuses_size(), 1);
}

}  // namespace
}  // namespace troupe::kubelet
