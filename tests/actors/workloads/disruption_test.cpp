// PodDisruptionBudgets: the numbers of the status, and evictions against a real API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/disruption/budget.h"
#include "actors/workloads/disruption/stale_targets.h"
#include "tests/actors/workloads/cluster.h"
#include "tests/actors/workloads/leader_worker_set_cases.h"
#include "tests/support/cluster_objects.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using troupe::testing::PodBuilder;
using troupe::testing::Wire;

k8s::PodDisruptionBudget budget() {
  k8s::PodDisruptionBudget made;
  made.mutable_metadata()->set_namespace_("default");
  made.mutable_metadata()->set_name("web");
  set_label(*made.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "web");
  return made;
}
k8s::PodDisruptionBudget at_least(const std::string& available) {
  k8s::PodDisruptionBudget made = budget();
  made.mutable_spec()->set_min_available(available);
  return made;
}
k8s::PodDisruptionBudget at_most_down(const std::string& unavailable) {
  k8s::PodDisruptionBudget made = budget();
  made.mutable_spec()->set_max_unavailable(unavailable);
  return made;
}

// ---- the numbers

class BudgetTest : public ::testing::Test {
 protected:
  PodBuilder pod(int number, bool ready = true) {
    PodBuilder made("p" + std::to_string(number));
    made.on("n1").owner("ReplicaSet", "web", "apps/v1");
    set_condition(*made.raw().mutable_status()->mutable_conditions(),
                  {"Ready", ready ? "True" : "False"}, at(0s));
    return made;
  }
  void have(const PodBuilder& made) {
    pods_["default/" + made.share()->metadata().name()] = made.share();
  }
  void have_ready(int count) {
    for (int i = 0; i < count; ++i) have(pod(i));
  }
  BudgetPlan plan(const k8s::PodDisruptionBudget& budget, SimTime now = at(0s)) {
    return plan_budget(
        budget, pods_,
        [this](const k8s::Pod&) -> Result<ControllerScale> {
          if (scale_ < 0) return fail("jobs.batch does not implement the scale subresource");
          return ControllerScale{"uid-web", scale_};
        },
        now);
  }
  /// "healthy/desired of expected: allowed".
  std::string numbers(const k8s::PodDisruptionBudget& budget) {
    const auto status = plan(budget).status;
    return std::to_string(status.current_healthy()) + "/" +
           std::to_string(status.desired_healthy()) + " of " +
           std::to_string(status.expected_pods()) + ": " +
           std::to_string(status.disruptions_allowed());
  }

  std::map<std::string, PodPtr> pods_;
  std::int64_t scale_ = 10;
};

TEST_F(BudgetTest, ANumberOfAvailablePodsIsOfThePodsThatAreThere) {
  have_ready(5);
  EXPECT_EQ(numbers(at_least("3")), "5/3 of 5: 2");
  have(pod(4, false));
  EXPECT_EQ(numbers(at_least("3")), "4/3 of 5: 1");
  EXPECT_EQ(numbers(at_least("9")), "4/9 of 5: 0");
}

TEST_F(BudgetTest, APercentageIsOfWhatTheControllersWantAndRoundsUp) {
  have_ready(8);
  EXPECT_EQ(numbers(at_least("50%")), "8/5 of 10: 3");
  EXPECT_EQ(numbers(at_least("51%")), "8/6 of 10: 2");
  scale_ = 7;
  EXPECT_EQ(numbers(at_least("50%")), "8/4 of 7: 4");
}

TEST_F(BudgetTest, WhatMayBeUnavailableIsOfWhatTheControllersWant) {
  have_ready(8);
  EXPECT_EQ(numbers(at_most_down("3")), "8/7 of 10: 1");
  EXPECT_EQ(numbers(at_most_down("1")), "8/9 of 10: 0");    // two are missing already
  EXPECT_EQ(numbers(at_most_down("25%")), "8/7 of 10: 1");  // 2.5 are 3
  EXPECT_EQ(numbers(at_most_down("100%")), "8/0 of 10: 8");
  EXPECT_EQ(numbers(at_most_down("50")), "8/0 of 10: 8");
}

TEST_F(BudgetTest, ABudgetWithoutPodsAllowsNothing) {
  EXPECT_EQ(numbers(at_least("0")), "0/0 of 0: 0");
  const BudgetPlan made = plan(at_least("0"));
  ASSERT_THAT(made.events, SizeIs(1));
  EXPECT_EQ(made.events[0].reason, "NoPods");
}

TEST_F(BudgetTest, SaysWhetherADisruptionIsAllowed) {
  have_ready(2);
  const auto allowed = plan(at_least("1")).status;
  const auto* condition = find_condition(allowed.conditions(), "DisruptionAllowed");
  EXPECT_EQ(condition->status(), "True");
  EXPECT_EQ(condition->reason(), "SufficientPods");
  const auto refused = plan(at_least("2")).status;
  EXPECT_EQ(find_condition(refused.conditions(), "DisruptionAllowed")->reason(),
            "InsufficientPods");
}

TEST_F(BudgetTest, APodThatIsBeingDeletedIsNotHealthy) {
  have_ready(3);
  have(pod(1).deleted(at(1s)));
  EXPECT_EQ(numbers(at_least("1")), "2/1 of 3: 1");
}

TEST_F(BudgetTest, AnEvictedPodCountsAsGoneForTwoMinutes) {
  have_ready(3);
  k8s::PodDisruptionBudget charged = at_least("1");
  k8s::DisruptedPod& gone = *charged.mutable_status()->add_disrupted_pods();
  gone.set_name("p1");
  gone.set_time(to_ns(at(10s)));
  const BudgetPlan waiting = plan(charged, at(30s));
  EXPECT_EQ(waiting.status.current_healthy(), 2);
  EXPECT_THAT(waiting.status.disrupted_pods(), SizeIs(1));
  EXPECT_EQ(*waiting.again, 100s);
  const BudgetPlan over = plan(charged, at(130s));
  EXPECT_EQ(over.status.current_healthy(), 3);
  EXPECT_THAT(over.status.disrupted_pods(), IsEmpty());
  ASSERT_THAT(over.not_deleted, SizeIs(1));
  EXPECT_EQ(over.not_deleted[0]->metadata().name(), "p1");
}

TEST_F(BudgetTest, AnEvictedPodThatIsGoingNeedsNoNoteAnyMore) {
  have_ready(3);
  have(pod(1).deleted(at(40s)));
  k8s::PodDisruptionBudget charged = at_least("1");
  for (const char* name : {"p1", "never-was"}) {
    k8s::DisruptedPod& gone = *charged.mutable_status()->add_disrupted_pods();
    gone.set_name(name);
    gone.set_time(to_ns(at(10s)));
  }
  const BudgetPlan made = plan(charged, at(20s));
  EXPECT_THAT(made.status.disrupted_pods(), IsEmpty());
  EXPECT_EQ(made.status.current_healthy(), 2);
  EXPECT_FALSE(made.again.has_value());
}

TEST_F(BudgetTest, AllowsNothingWhereTheScaleCannotBeKnown) {
  have_ready(5);
  k8s::PodDisruptionBudget stale = at_most_down("1");
  stale.mutable_status()->set_disruptions_allowed(1);
  scale_ = -1;
  const BudgetPlan made = plan(stale);
  EXPECT_EQ(made.status.disruptions_allowed(), 0);
  const auto* condition = find_condition(made.status.conditions(), "DisruptionAllowed");
  EXPECT_EQ(condition->reason(), "SyncFailed");
  EXPECT_EQ(condition->message(), "jobs.batch does not implement the scale subresource");
  EXPECT_EQ(made.events.at(0).reason, "CalculateExpectedPodCountFailed");
  EXPECT_EQ(numbers(at_least("3")), "5/3 of 5: 2");  // a plain number needs no scale
}

TEST_F(BudgetTest, PodsWithoutAControllerAreNotExpected) {
  have_ready(2);
  PodBuilder lonely("x");
  lonely.on("n1");
  have(lonely);
  const BudgetPlan made = plan(at_most_down("1"));
  EXPECT_EQ(made.status.expected_pods(), 10);
  EXPECT_EQ(made.events.at(0).reason, "UnmanagedPods");
}

// ---- in the cluster

class DisruptionTest : public ::testing::Test {
 protected:
  void run_deployment(int replicas) {
    cluster_.create(deployment("web", replicas));
    cluster_.network.run_for(2s);
    cluster_.run_all_pods();
  }
  void protect(k8s::PodDisruptionBudget budget) {
    ASSERT_TRUE(cluster_.create(std::move(budget)).ok());
    cluster_.network.run_for(1s);
  }
  k8s::PodDisruptionBudgetStatus status() {
    return cluster_.stored<k8s::PodDisruptionBudget>("default/web")->status();
  }
  Cluster cluster_;
};

TEST_F(DisruptionTest, CountsThePodsOfTheDeploymentNotOfItsReplicaSet) {
  run_deployment(4);
  protect(at_most_down("25%"));
  EXPECT_EQ(status().expected_pods(), 4);
  EXPECT_EQ(status().current_healthy(), 4);
  EXPECT_EQ(status().desired_healthy(), 3);
  EXPECT_EQ(status().disruptions_allowed(), 1);
  EXPECT_EQ(status().observed_generation(), 1);
}

TEST_F(DisruptionTest, LetsPodsGoOneByOneAndTheNextWhenTheReplacementIsReady) {
  run_deployment(3);
  protect(at_most_down("1"));
  const auto pods = cluster_.active_pods();
  EXPECT_TRUE(cluster_.evict(key_of(*pods[0])).ok());
  EXPECT_TRUE(cluster_.evict(key_of(*pods[1])).too_many_requests());
  cluster_.network.run_for(2s);
  EXPECT_EQ(status().current_healthy(), 2);
  EXPECT_THAT(status().disrupted_pods(), IsEmpty());  // its deletion was seen
  EXPECT_TRUE(cluster_.evict(key_of(*pods[1])).too_many_requests());
  cluster_.run_all_pods();
  EXPECT_TRUE(cluster_.evict(key_of(*pods[1])).ok());
}

TEST_F(DisruptionTest, TwoEvictionsAtOnceCannotBothTakeTheLast) {
  run_deployment(3);
  protect(at_most_down("1"));
  // The controller's watch is slow: the number is old, and the charge alone protects the pods.
  cluster_.network.latency = [](const Wire& wire) {
    return wire.to.actor == address_of(kManager).actor ? Duration(5s) : Duration(1ms);
  };
  int granted = 0;
  for (const auto& pod : cluster_.active_pods()) granted += cluster_.evict(key_of(*pod)).ok();
  EXPECT_EQ(granted, 1);
}

TEST_F(DisruptionTest, PodsOfAJobHaveNoPercentage) {
  k8s::Job job;
  job.mutable_metadata()->set_namespace_("default");
  job.mutable_metadata()->set_name("train");
  job.mutable_spec()->set_parallelism(2);
  job.mutable_spec()->set_completions(2);
  *job.mutable_spec()->mutable_template_() = pod_template();
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("Never");
  ASSERT_TRUE(cluster_.create(std::move(job)).ok());
  cluster_.network.run_for(2s);
  cluster_.run_all_pods();
  protect(at_most_down("50%"));
  EXPECT_EQ(status().disruptions_allowed(), 0);
  EXPECT_THAT(cluster_.event_reasons("PodDisruptionBudget/default/web"),
              Contains("CalculateExpectedPodCountFailed"));
}

TEST_F(DisruptionTest, AGroupOfALeaderWorkerSetCountsWithAllItsPods) {
  lws::LeaderWorkerSet set = leader_worker_set(2, 3);
  set_label(*set.mutable_spec()
                 ->mutable_leader_worker_template()
                 ->mutable_worker_template()
                 ->mutable_metadata()
                 ->mutable_labels(),
            "app", "web");
  cluster_.create(std::move(set));
  cluster_.network.run_for(2s);
  cluster_.run_all_pods();
  protect(at_most_down("1"));
  EXPECT_EQ(status().expected_pods(), 6);
  EXPECT_EQ(status().disruptions_allowed(), 1);
}

TEST_F(DisruptionTest, FollowsAChangeOfTheBudget) {
  run_deployment(4);
  protect(at_least("3"));
  EXPECT_EQ(status().disruptions_allowed(), 1);
  k8s::PodDisruptionBudget changed = *cluster_.stored<k8s::PodDisruptionBudget>("default/web");
  changed.mutable_spec()->set_min_available("1");
  ASSERT_TRUE(cluster_.update(std::move(changed)).ok());
  cluster_.network.run_for(1s);
  EXPECT_EQ(status().disruptions_allowed(), 3);
  EXPECT_EQ(status().observed_generation(), 2);
}

TEST_F(DisruptionTest, AStaleDisruptionTargetIsTakenBack) {
  ASSERT_TRUE(cluster_.create(troupe::testing::pod("default", "a")).ok());
  k8s::Pod pod = *cluster_.stored<k8s::Pod>("default/a");
  set_condition(*pod.mutable_status()->mutable_conditions(),
                {"DisruptionTarget", "True", "PreemptionByScheduler"}, cluster_.network.now());
  ASSERT_TRUE(cluster_.update_status(std::move(pod)).ok());
  const auto is_target = [this] {
    return is_true(cluster_.stored<k8s::Pod>("default/a")->status().conditions(),
                   "DisruptionTarget");
  };
  cluster_.network.run_for(115s);
  EXPECT_TRUE(is_target());
  cluster_.network.run_for(10s);
  EXPECT_FALSE(is_target());
}

TEST(StaleTargets, TheKubeletsWordAndDyingPodsKeepTheirs) {
  PodBuilder pod("a");
  auto& conditions = *pod.raw().mutable_status()->mutable_conditions();
  EXPECT_FALSE(stale_disruption_at(pod.raw()).has_value());
  set_condition(conditions, {"DisruptionTarget", "True", "EvictionByEvictionAPI"}, at(5s));
  EXPECT_EQ(stale_disruption_at(pod.raw()), at(125s));
  set_condition(conditions, {"DisruptionTarget", "True", "TerminationByKubelet"}, at(5s));
  EXPECT_FALSE(stale_disruption_at(pod.raw()).has_value());
  set_condition(conditions, {"DisruptionTarget", "True", "PreemptionByScheduler"}, at(5s));
  pod.deleted(at(6s));
  EXPECT_FALSE(stale_disruption_at(pod.raw()).has_value());
}

}  // namespace
}  // namespace troupe::workloads
