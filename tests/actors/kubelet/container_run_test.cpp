#include "actors/kubelet/container_run.h"

#include <gtest/gtest.h>

#include "tests/support/cluster_objects.h"

namespace troupe::kubelet {
namespace {

using std::chrono::seconds;

constexpr SimTime kNow = kTimeZero + seconds(100);

/// Init container "init", sidecar "proxy", then "main" and "log".
k8s::Pod full_pod(const std::string& policy = "Always") {
  k8s::Pod pod = testing::PodBuilder("a").raw();
  pod.mutable_spec()->set_restart_policy(policy);
  pod.mutable_spec()->add_init_containers()->set_name("init");
  auto* proxy = pod.mutable_spec()->add_init_containers();
  proxy->set_name("proxy");
  proxy->set_restart_policy("Always");
  pod.mutable_spec()->add_containers()->set_name("log");
  return pod;
}

ContainerSet set_of(k8s::Pod pod) {
  return ContainerSet(std::make_shared<const k8s::Pod>(std::move(pod)));
}

TEST(ContainerSet, StartsInitThenSidecarThenMain) {
  ContainerSet set = set_of(full_pod());
  EXPECT_EQ(set.next_to_start(), 0u);
  set.mark_running(0, kNow);
  EXPECT_FALSE(set.next_to_start());  // an init container must end first
  set.mark_terminated(0, {{}, kNow, 0, "Completed"});
  EXPECT_EQ(set.next_to_start(), 1u);
  set.mark_running(1, kNow);
  EXPECT_FALSE(set.next_to_start());  // a sidecar must have started
  set.at(1).started = true;
  EXPECT_TRUE(set.initialized());
  EXPECT_EQ(set.next_to_start(), 2u);
  set.mark_running(2, kNow);
  EXPECT_EQ(set.next_to_start(), 3u);
  set.mark_running(3, kNow);
  EXPECT_TRUE(set.all_started());
}

TEST(ContainerSet, DoesNotStartAContainerTwice) {
  ContainerSet set = set_of(full_pod());
  set.at(0).starting = true;
  EXPECT_FALSE(set.next_to_start());
}

TEST(ContainerSet, FindsTheContainerThatHasTheGpus) {
  k8s::Pod pod = testing::PodBuilder("a").raw();
  k8s::Container* second = pod.mutable_spec()->add_containers();
  auto* amount = second->mutable_resources()->add_limits();
  amount->set_name("nvidia.com/gpu");
  amount->set_quantity("1");
  EXPECT_EQ(set_of(pod).workload(), 1u);
  EXPECT_EQ(set_of(full_pod()).workload(), 2u);  // the first main one
}

TEST(ContainerSet, RestartsByThePodsPolicy) {
  for (const auto& [policy, after_success, after_failure] :
       {std::tuple{"Always", true, true}, {"OnFailure", false, true}, {"Never", false, false}}) {
    const ContainerSet set = set_of(full_pod(policy));
    EXPECT_EQ(set.restarts(set.all()[2], 0), after_success) << policy;
    EXPECT_EQ(set.restarts(set.all()[2], 1), after_failure) << policy;
    EXPECT_TRUE(set.restarts(set.all()[1], 0)) << "a sidecar always";
  }
}

TEST(ContainerSet, CountsARestartWhenTheNextRunBegins) {
  ContainerSet set = set_of(testing::PodBuilder("a").raw());
  set.mark_running(0, kNow);
  set.mark_terminated(0, {{}, kNow + seconds(5), 3, "Error"});
  EXPECT_EQ(set.at(0).restarts, 0);
  set.mark_crash_loop(0);
  EXPECT_EQ(set.at(0).last_exit_code(), 3);
  set.mark_running(0, kNow + seconds(9));
  EXPECT_EQ(set.at(0).restarts, 1);
  ASSERT_TRUE(set.at(0).last);
  EXPECT_EQ(set.at(0).last->started, kNow);
}

TEST(ContainerSet, TakesContainersForKilledWhoseNodeWentDown) {
  ContainerSet set = set_of(testing::PodBuilder("a").raw());
  k8s::PodStatus before;
  auto* status = before.add_container_statuses();
  status->set_name("main");
  status->set_restart_count(2);
  status->mutable_state()->mutable_running()->set_started_at(to_ns(kTimeZero));
  set.mark_lost(before, kNow);
  EXPECT_EQ(set.at(0).now.exit_code, kKilledCode);
  EXPECT_EQ(set.at(0).now.reason, "ContainerStatusUnknown");
  set.mark_running(0, kNow);
  EXPECT_EQ(set.at(0).restarts, 3);
}

TEST(ContainerSet, KeepsHowAContainerHadEndedBeforeTheNodeWentDown) {
  ContainerSet set = set_of(testing::PodBuilder("a").raw());
  k8s::PodStatus before;
  auto* status = before.add_container_statuses();
  status->set_name("main");
  status->mutable_state()->mutable_terminated()->set_exit_code(0);
  set.mark_lost(before, kNow);
  EXPECT_EQ(set.at(0).now.exit_code, 0);
}

}  // namespace
}  // namespace troupe::kubelet
