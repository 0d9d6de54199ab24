#include "actors/kube_scheduler/scores.h"

#include <gtest/gtest.h>

#include "actors/kube_scheduler/affinity_score.h"
#include "actors/kube_scheduler/default_spread.h"
#include "actors/kube_scheduler/spread_score.h"
#include "tests/actors/scheduling/scheduling_fixture.h"

namespace troupe::kube_scheduler {
namespace {

using testing::NodeBuilder;
using testing::PodBuilder;
using testing::SchedulingFixture;

// C43: two nodes of 100 CPU, 100 Gi and 8 GPUs; A has 20 CPU, 20 Gi and 4 GPUs requested, B 10, 10
// Gi and none. A pod of 4 CPU, 4 Gi and 1 GPU.
class TwoNodes : public ::testing::Test, public SchedulingFixture {
 protected:
  void SetUp() override {
    add(NodeBuilder("A").cpu("100").memory("100Gi").gpus(8));
    add(NodeBuilder("B").cpu("100").memory("100Gi").gpus(8));
    add(PodBuilder("a").cpu("20").memory("20Gi").gpus(4).on("A"));
    add(PodBuilder("b").cpu("10").memory("10Gi").on("B"));
    pod = info(PodBuilder("p").cpu("4").memory("4Gi").gpus(1));
  }
  scheduling::PodPtr pod;
};

TEST_F(TwoNodes, C43LeastAllocatedPrefersTheEmptierAndIgnoresGpus) {
  const ResourceScoring scoring;
  EXPECT_EQ(fit_score(scoring, *pod, node("A")), 76);
  EXPECT_EQ(fit_score(scoring, *pod, node("B")), 86);
  EXPECT_EQ(balance_score(*pod, node("A")), balance_score(*pod, node("B")));
}

TEST_F(TwoNodes, C43MostAllocatedWithAWeightOnGpusPacksThem) {
  const ResourceScoring scoring{.strategy = Strategy::MostAllocated,
                                .resources = {{"cpu", 1}, {"memory", 1}, {"nvidia.com/gpu", 3}}};
  EXPECT_EQ(fit_score(scoring, *pod, node("A")), 46);
  EXPECT_EQ(fit_score(scoring, *pod, node("B")), 12);
}

TEST_F(TwoNodes, AResourceThatThePodDoesNotAskForDoesNotCount) {
  const ResourceScoring scoring{.strategy = Strategy::MostAllocated,
                                .resources = {{"nvidia.com/gpu", 1}}};
  EXPECT_EQ(fit_score(scoring, *info(PodBuilder("q").cpu("4")), node("A")), 0);
}

TEST_F(TwoNodes, RequestedToCapacityRatioFollowsItsShape) {
  // 5 of 8 GPUs are 62 % of use: 0.62 of the way from 0 to 10, times 10.
  const ResourceScoring up{.strategy = Strategy::RequestedToCapacityRatio,
                           .resources = {{"nvidia.com/gpu", 1}},
                           .shape = {{0, 0}, {100, 10}}};
  EXPECT_EQ(fit_score(up, *pod, node("A")), 62);
  const ResourceScoring down{.strategy = Strategy::RequestedToCapacityRatio,
                             .resources = {{"nvidia.com/gpu", 1}},
                             .shape = {{0, 10}, {100, 0}}};
  EXPECT_EQ(fit_score(down, *pod, node("A")), 38);
}

TEST_F(TwoNodes, BalanceDropsWithTheDistanceOfTheFractions) {
  // A with the pod: 60 % of CPU and 24 % of memory; half of the difference is 0.18.
  EXPECT_EQ(balance_score(*info(PodBuilder("q").cpu("40").memory("4Gi")), node("A")), 82);
}

TEST(SpreadScore, PrefersTheHostWithFewerReplicas) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("n1"));
  cluster.add(NodeBuilder("n2"));
  cluster.add(PodBuilder("x1").label("app", "x").on("n1"));
  const auto pod = cluster.info(PodBuilder("x2").label("app", "x"));
  k8s::LabelSelector selector;
  set_label(*selector.mutable_match_labels(), "app", "x");
  const std::vector<std::size_t> both = {0, 1};
  const SpreadScore spread(*pod, cluster.refresh(), both, selector);
  // n1 counts one pod: round(ln 4 + 2) + 4 of the zone constraint is nothing without zones. n1 = 3,
  // n2 = 2: 100 * (3 + 2 - 3) / 3 = 66 and 100 * (3 + 2 - 2) / 3 = 100.
  EXPECT_EQ(spread.normalized(), (std::vector<std::int64_t>{66, 100}));
}

TEST(SpreadScore, IgnoresNodesThatLackAKeyOfThePodsOwnConstraints) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("in").zone("a"));
  cluster.add(NodeBuilder("out"));
  const auto pod = cluster.info(
      PodBuilder("x").label("app", "x").spread("topology.kubernetes.io/zone", 1, "ScheduleAnyway"));
  const std::vector<std::size_t> both = {0, 1};
  const SpreadScore spread(*pod, cluster.refresh(), both, std::nullopt);
  EXPECT_EQ(spread.normalized(), (std::vector<std::int64_t>{100, 0}));
}

TEST(AffinityScore, AddsWeightsOfTermsThatMatchInTheDomain) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("a").zone("a"));
  cluster.add(NodeBuilder("b").zone("b"));
  cluster.add(PodBuilder("cache").label("app", "cache").on("a"));
  PodBuilder wants("p");
  auto* term = wants.raw()
                   .mutable_spec()
                   ->mutable_affinity()
                   ->mutable_pod_affinity()
                   ->add_preferred_during_scheduling_ignored_during_execution();
  term->set_weight(50);
  term->mutable_pod_affinity_term()->set_topology_key("topology.kubernetes.io/zone");
  set_label(*term->mutable_pod_affinity_term()->mutable_label_selector()->mutable_match_labels(),
            "app", "cache");
  const auto pod = cluster.info(wants);
  const AffinityScore score(*pod, cluster.refresh());
  ASSERT_FALSE(score.empty());
  const std::vector<std::size_t> both = {0, 1};
  EXPECT_EQ(score.normalized(both), (std::vector<std::int64_t>{100, 0}));
}

TEST(TotalScores, CountAnUntoleratedSoftTaintAgainstTheNode) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("clean"));
  cluster.add(NodeBuilder("soft").taint("spot", "", "PreferNoSchedule"));
  const auto pod = cluster.info(PodBuilder("p"));
  const std::vector<std::size_t> both = {0, 1};
  const ResourceScoring resources;
  const std::optional<k8s::LabelSelector> none;
  const auto totals = total_scores({*pod, cluster.refresh(), both, resources, none}, {});
  // The plugin's 100 points at weight 3.
  EXPECT_EQ(totals[0] - totals[1], 300);
}

TEST(TotalScores, PreferANodeThatHasTheImage) {
  SchedulingFixture cluster;
  cluster.add(NodeBuilder("warm").image("vllm:1", 2'000'000'000));
  cluster.add(NodeBuilder("cold"));
  PodBuilder builder("p");
  builder.raw().mutable_spec()->mutable_containers(0)->set_image("vllm:1");
  const auto pod = cluster.info(builder);
  const std::vector<std::size_t> both = {0, 1};
  const ResourceScoring resources;
  const std::optional<k8s::LabelSelector> none;
  const auto totals = total_scores({*pod, cluster.refresh(), both, resources, none}, {});
  // Half of the nodes hold it: 1.0e9 bytes between 23 MiB and 1000 MiB is 95 points at weight 1.
  EXPECT_EQ(totals[0] - totals[1], 95);
}

TEST(DefaultSpread, JoinsTheSelectorsOfServiceAndController) {
  k8s::Service service;
  service.mutable_metadata()->set_namespace_("default");
  set_label(*service.mutable_spec()->mutable_selector(), "app", "x");
  const auto pod = PodBuilder("p").label("app", "x").owner("ReplicaSet", "rs", "apps/v1").share();
  k8s::LabelSelector selector;
  add_service(service, *pod, selector);
  k8s::LabelSelector of_set;
  set_label(*of_set.mutable_match_labels(), "hash", "1");
  add_controller(of_set, selector);
  EXPECT_EQ(selector_text(*usable(selector)), "app=x,hash=1");
  EXPECT_EQ(controller_of(pod->metadata())->name(), "rs");
}

TEST(DefaultSpread, IsNothingForAPodThatBelongsToNothing) {
  EXPECT_FALSE(usable(k8s::LabelSelector{}));
}

}  // namespace
}  // namespace troupe::kube_scheduler
