// Cases C22 and C24 and the rules of draining: budgets, schedules, emptiness, tiers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/karpenter/disruption/consolidatable.h"
#include "actors/karpenter/disruption/cron_schedule.h"
#include "actors/karpenter/disruption/emptiness.h"
#include "actors/karpenter/disruption/eviction_cost.h"
#include "actors/karpenter/termination/drain.h"
#include "messages/timestamp.h"
#include "tests/actors/karpenter/fixtures.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void budget(NodePool& pool, const std::string& nodes,
            const std::vector<std::string>& reasons = {}) {
  DisruptionBudget& added = *pool.mutable_spec()->mutable_disruption()->add_budgets();
  added.set_nodes(nodes);
  for (const std::string& reason : reasons) added.add_reasons(reason);
}

TEST(Budgets, APercentageRoundsUp) {  // C22
  NodePool pool = node_pool("p");
  budget(pool, "30%");
  const std::int64_t left[] = {10, 7, 4, 2, 1};
  const std::int64_t allowed[] = {3, 3, 2, 1, 1};
  for (std::size_t i = 0; i < std::size(left); ++i) {
    EXPECT_EQ(allowed_disruptions(pool, left[i], "Empty", kTimeZero), allowed[i]) << left[i];
  }
}

TEST(Budgets, OnlyThoseThatMeanTheReasonRestrict) {  // C22, BR-35
  NodePool pool = node_pool("p");
  budget(pool, "0", {"Drifted"});
  EXPECT_EQ(allowed_disruptions(pool, 10, "Empty", kTimeZero), kUnlimited);
  EXPECT_EQ(allowed_disruptions(pool, 10, "Drifted", kTimeZero), 0);
}

TEST(Budgets, TheDefaultIsTenPercent) {
  EXPECT_EQ(allowed_disruptions(node_pool("p"), 11, "Empty", kTimeZero), 2);
}

TEST(Budgets, AScheduleShutsTheWorkingDay) {  // C24; the run's first Monday is 2026-01-05
  NodePool pool = node_pool("p");
  budget(pool, "0");
  pool.mutable_spec()->mutable_disruption()->mutable_budgets(0)->set_schedule("0 9 * * 1-5");
  pool.mutable_spec()->mutable_disruption()->mutable_budgets(0)->set_duration("8h");
  const auto allowed = [&pool](const char* when) {
    return allowed_disruptions(pool, 10, "Empty", *parse_timestamp(when)) > 0;
  };
  EXPECT_TRUE(allowed("2026-01-05T08:59:59Z"));
  EXPECT_FALSE(allowed("2026-01-05T09:00:00Z"));
  EXPECT_FALSE(allowed("2026-01-05T16:59:59Z"));
  EXPECT_TRUE(allowed("2026-01-05T17:00:00Z"));
  EXPECT_TRUE(allowed("2026-01-10T12:00:00Z"));  // Saturday
}

TEST(Budgets, AScheduleThatCannotBeReadForbidsEverything) {
  NodePool pool = node_pool("p");
  budget(pool, "100%");
  pool.mutable_spec()->mutable_disruption()->mutable_budgets(0)->set_schedule("at noon");
  pool.mutable_spec()->mutable_disruption()->mutable_budgets(0)->set_duration("1h");
  EXPECT_EQ(allowed_disruptions(pool, 10, "Empty", kTimeZero), 0);
}

TEST(CronSchedule, ReadsStepsNamesAndMacros) {
  const SimTime monday = *parse_timestamp("2026-01-05T08:30:00Z");
  EXPECT_TRUE(CronSchedule::parse("*/15 8-17 * jan-mar mon,fri")->hits(monday));
  EXPECT_FALSE(CronSchedule::parse("*/20 * * * *")->hits(monday));
  EXPECT_TRUE(CronSchedule::parse("@daily")->hits(*parse_timestamp("2026-01-05T00:00:00Z")));
  EXPECT_TRUE(CronSchedule::parse("30 8 1 * 1")->hits(monday));  // either day will do
  EXPECT_TRUE(CronSchedule::parse("0 0 * * 7")->hits(*parse_timestamp("2026-01-04T00:00:00Z")));
  for (const char* bad :
       {"", "* * * *", "60 * * * *", "* * 0 * *", "x * * * *", "5-1 * * * *", "*/0 * * * *"}) {
    EXPECT_FALSE(CronSchedule::parse(bad)) << bad;
  }
}

TEST(EvictionCost, CountsPriorityAndDeletionCostWithinLimits) {
  k8s::Pod pod = pending_pod("a");
  EXPECT_EQ(eviction_cost(pod), kCostUnit);
  pod.mutable_spec()->set_priority(1'000'000'000);
  EXPECT_EQ(eviction_cost(pod), 10 * kCostUnit);
  pod.mutable_spec()->set_priority(0);
  set_label(*pod.mutable_metadata()->mutable_annotations(),
            "controller.kubernetes.io/pod-deletion-cost", "-2147483647");
  EXPECT_LT(eviction_cost(pod), -10 * kCostUnit + 2'000'000'000);
  EXPECT_EQ(positive_eviction_cost({share(pod)}), 0);
}

class EmptinessTest : public ::testing::Test {
 protected:
  EmptinessTest() { budget(pool_, "100%"); }

  std::string add_node(const std::string& name) {
    NodeClaim claim = launched_claim(name, "p", *catalogue_.find("c4"));
    set_true(claim, kInitialized, kTimeZero);
    set_true(claim, kConsolidatable, kTimeZero);
    state_.set_claim(share(claim));
    state_.set_node(share(node_of(claim)));
    return claim.status().provider_id();
  }
  std::vector<Candidate> candidates() {
    const CandidateInput input{.state = state_,
                               .catalogue = catalogue_,
                               .pools = {{"p", share(pool_)}},
                               .limits = DisruptionLimits({}),
                               .being_disrupted = busy_,
                               .profile = {},
                               .now = now_};
    std::vector<Candidate> found;
    for (const StateNode& node : state_.nodes()) {
      auto candidate = judge(node, input);
      if (candidate && emptiness_.wants(*candidate)) found.push_back(std::move(*candidate));
    }
    return found;
  }
  Budgets budgets() { return disruption_budgets({share(pool_)}, state_.nodes(), "Empty", now_); }

  InstanceCatalogue catalogue_{general_purpose()};
  NodePool pool_ = node_pool("p");
  ClusterState state_;
  std::set<std::string> busy_;
  SimTime now_ = at(60s);
  Emptiness emptiness_;
};

TEST_F(EmptinessTest, TakesAllEmptyNodesThatTheBudgetAllows) {  // C22
  for (int i = 0; i < 10; ++i) add_node("n" + std::to_string(i));
  pool_.mutable_spec()->mutable_disruption()->mutable_budgets(0)->set_nodes("30%");
  Budgets left = budgets();
  EXPECT_THAT(emptiness_.choose(candidates(), left), SizeIs(3));
  EXPECT_EQ(left["p"].left, 0);
  state_.mark_for_deletion("id-n0", true);
  EXPECT_EQ(budgets()["p"].left, 2);
}

TEST_F(EmptinessTest, APodKeepsItsNodeADaemonOrAFinishedPodDoesNot) {
  add_node("n1");
  k8s::Pod daemon = bound_pod("agent", "n1");
  daemon.mutable_metadata()->mutable_owner_references(0)->set_kind("DaemonSet");
  state_.set_pod(share(daemon));
  EXPECT_THAT(candidates(), SizeIs(1));
  state_.set_pod(share(bound_pod("a", "n1")));
  EXPECT_THAT(candidates(), IsEmpty());
}

TEST_F(EmptinessTest, ANominatedNodeIsNoCandidate) {
  state_.nominate(add_node("n1"), at(61s));
  EXPECT_THAT(candidates(), IsEmpty());
  now_ = at(61s);
  EXPECT_THAT(candidates(), SizeIs(1));
}

TEST_F(EmptinessTest, OnlyConsolidatableInitializedNodesThatNobodyElseDisrupts) {
  const std::string id = add_node("n1");
  busy_.insert(id);
  EXPECT_THAT(candidates(), IsEmpty());
  busy_.clear();
  NodeClaim fresh = launched_claim("n1", "p", *catalogue_.find("c4"));
  state_.set_claim(share(fresh));
  EXPECT_THAT(candidates(), IsEmpty());
  pool_.mutable_spec()->mutable_disruption()->set_consolidate_after("Never");
  add_node("n1");
  EXPECT_THAT(candidates(), IsEmpty());
}

TEST(Consolidatable, FollowsTheQuietTimeOfThePool) {
  NodePool pool = node_pool("p");
  pool.mutable_spec()->mutable_disruption()->set_consolidate_after("30s");
  NodeClaim claim;
  EXPECT_EQ(update_consolidatable(claim, pool, at(0s)), std::nullopt);
  EXPECT_FALSE(condition_is(claim, kConsolidatable));
  set_true(claim, kInitialized, at(10s));
  EXPECT_EQ(update_consolidatable(claim, pool, at(20s)), 20s);
  update_consolidatable(claim, pool, at(40s));
  EXPECT_TRUE(condition_is(claim, kConsolidatable));
  claim.mutable_status()->set_last_pod_event_time(to_ns(at(50s)));
  EXPECT_EQ(update_consolidatable(claim, pool, at(50s)), 30s);
  EXPECT_FALSE(condition_is(claim, kConsolidatable));
}

TEST(Consolidatable, PodsThatComeOrGoAreEvents) {
  EXPECT_TRUE(is_pod_event(pending_pod("a"), bound_pod("a", "n1")));
  EXPECT_FALSE(is_pod_event(bound_pod("a", "n1"), bound_pod("a", "n1")));
  k8s::Pod ending = bound_pod("a", "n1");
  ending.mutable_metadata()->set_deletion_timestamp(1);
  EXPECT_TRUE(is_pod_event(bound_pod("a", "n1"), ending));
}

k8s::Pod running(const std::string& name, bool daemon, bool critical) {
  k8s::Pod pod = bound_pod(name, "n1");
  if (daemon) pod.mutable_metadata()->mutable_owner_references(0)->set_kind("DaemonSet");
  if (critical) pod.mutable_spec()->set_priority_class_name("system-node-critical");
  return pod;
}

TEST(Drain, GoesByTiers) {  // C37
  std::vector<std::shared_ptr<const k8s::Pod>> pods = {
      share(running("critical-ds", true, true)), share(running("ds", true, false)),
      share(running("critical", false, true)), share(running("app", false, false))};
  std::vector<std::string> order;
  while (!pods.empty()) {
    const DrainStep step = next_drain_step(pods, std::nullopt, at(0s));
    ASSERT_THAT(step.evict, SizeIs(1));
    order.push_back(step.evict[0]->metadata().name());
    std::erase(pods, step.evict[0]);
  }
  EXPECT_THAT(order, ::testing::ElementsAre("app", "ds", "critical", "critical-ds"));
  EXPECT_TRUE(next_drain_step(pods, std::nullopt, at(0s)).done());
}

TEST(Drain, DoesNotWaitForPodsThatTolerateItOrAreLongOverdue) {  // C37
  k8s::Pod tolerant = running("a", false, false);
  tolerant.mutable_spec()->add_tolerations()->set_operator_("Exists");
  k8s::Pod stuck = running("b", false, false);
  stuck.mutable_metadata()->set_deletion_timestamp(to_ns(at(0s)));
  EXPECT_TRUE(next_drain_step({share(tolerant), share(stuck)}, std::nullopt, at(61s)).done());
  EXPECT_FALSE(next_drain_step({share(stuck)}, std::nullopt, at(60s)).done());
}

TEST(Drain, TheDeadlineForcesPodsInTimeForTheirGrace) {  // C36: TGP 10 min, grace 300 s
  k8s::Pod pod = running("a", false, false);
  pod.mutable_spec()->set_termination_grace_period_seconds(300);
  EXPECT_THAT(next_drain_step({share(pod)}, at(10min), at(5min)).force, IsEmpty());
  EXPECT_THAT(next_drain_step({share(pod)}, at(10min), at(5min + 1s)).force, SizeIs(1));
  EXPECT_EQ(forced_grace_seconds(at(10min), at(5min)), 300);
  EXPECT_EQ(forced_grace_seconds(at(10min), at(11min)), 1);
}

}  // namespace
}  // namespace troupe::karpenter
