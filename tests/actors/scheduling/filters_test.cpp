#include "actors/scheduling/filters.h"

#include <gtest/gtest.h>

#include "tests/actors/scheduling/scheduling_fixture.h"

namespace troupe::scheduling {
namespace {

using testing::NodeBuilder;
using testing::PodBuilder;
using testing::SchedulingFixture;

class FiltersTest : public ::testing::Test, public SchedulingFixture {
 protected:
  Rejection check(const PodBuilder& pod, const std::string& node_name) {
    const PodPtr subject = info(pod);
    const NodeInfo& on = node(node_name);
    return Filters(*subject, snapshot).check(on);
  }
  std::vector<std::string> reasons(const PodBuilder& pod, const std::string& node_name) {
    const PodPtr subject = info(pod);
    return reasons_of(check(pod, node_name), *subject);
  }
};

using Texts = std::vector<std::string>;

TEST_F(FiltersTest, TakeAPodThatNothingSpeaksAgainst) {
  add(NodeBuilder("n").gpus(8));
  EXPECT_FALSE(check(PodBuilder("p").gpus(8), "n"));
}

TEST_F(FiltersTest, RefuseACordonedNodeUnlessThatIsTolerated) {
  add(NodeBuilder("n").cordoned());
  EXPECT_EQ(reasons(PodBuilder("p"), "n"), Texts{"node(s) were unschedulable"});
  EXPECT_FALSE(check(PodBuilder("p").tolerates("node.kubernetes.io/unschedulable"), "n"));
}

TEST_F(FiltersTest, NameTheTaintThatIsNotTolerated) {
  add(NodeBuilder("n").taint("gpu", "h100", "NoSchedule"));
  EXPECT_EQ(reasons(PodBuilder("p"), "n"), Texts{"node(s) had untolerated taint {gpu: h100}"});
  EXPECT_FALSE(check(PodBuilder("p").tolerates("gpu"), "n"));
}

TEST_F(FiltersTest, IgnoreATaintThatOnlyPrefers) {
  add(NodeBuilder("n").taint("gpu", "h100", "PreferNoSchedule"));
  EXPECT_FALSE(check(PodBuilder("p"), "n"));
}

TEST_F(FiltersTest, RefuseANodeThatTheSelectorDoesNotName) {
  add(NodeBuilder("n").label("pool", "a"));
  EXPECT_EQ(reasons(PodBuilder("p").selects("pool", "b"), "n"),
            Texts{"node(s) didn't match Pod's node affinity/selector"});
  EXPECT_FALSE(check(PodBuilder("p").selects("pool", "a"), "n"));
}

TEST_F(FiltersTest, NameEveryResourceThatIsShort) {
  add(NodeBuilder("n").cpu("4").gpus(1));
  add(PodBuilder("other").cpu("3").gpus(1).on("n"));
  EXPECT_EQ(reasons(PodBuilder("p").cpu("2").gpus(1).asks("rdma/ib", "1"), "n"),
            (Texts{"Insufficient cpu", "Insufficient nvidia.com/gpu", "Insufficient rdma/ib"}));
}

TEST_F(FiltersTest, SayWhetherEvictionsCouldHelp) {
  add(NodeBuilder("n").gpus(1));
  add(PodBuilder("other").gpus(1).on("n"));
  EXPECT_TRUE(check(PodBuilder("p").gpus(1), "n").resolvable);
  EXPECT_FALSE(check(PodBuilder("p").gpus(2), "n").resolvable);
}

TEST_F(FiltersTest, CountPodSlots) {
  add(NodeBuilder("n").with("pods", "1"));
  add(PodBuilder("other").on("n"));
  EXPECT_EQ(reasons(PodBuilder("p"), "n"), Texts{"Too many pods"});
}

TEST_F(FiltersTest, RefuseAHostPortThatIsTaken) {
  add(NodeBuilder("n"));
  add(PodBuilder("other").host_port(80).on("n"));
  EXPECT_EQ(reasons(PodBuilder("p").host_port(80), "n"),
            Texts{"node(s) didn't have free ports for the requested pod ports"});
  EXPECT_FALSE(check(PodBuilder("p").host_port(81), "n"));
}

class SpreadFilterTest : public FiltersTest {
 protected:
  void SetUp() override {
    add(NodeBuilder("a1").zone("a"));
    add(NodeBuilder("b1").zone("b"));
    add(NodeBuilder("none"));
    add(PodBuilder("x1").label("app", "x").on("a1"));
  }
  static PodBuilder spread(std::string_view name) {
    return PodBuilder(name)
        .label("app", "x")
        .spread("topology.kubernetes.io/zone", 1, "DoNotSchedule");
  }
};

TEST_F(SpreadFilterTest, RefusesTheFullerDomain) {
  EXPECT_EQ(reasons(spread("p"), "a1"),
            Texts{"node(s) didn't match pod topology spread constraints"});
  EXPECT_FALSE(check(spread("p"), "b1"));
}

TEST_F(SpreadFilterTest, RefusesANodeWithoutTheLabel) {
  EXPECT_EQ(reasons(spread("p"), "none"),
            Texts{"node(s) didn't match pod topology spread constraints (missing required label)"});
}

TEST_F(SpreadFilterTest, DoesNotCountAPodThatIsBeingDeleted) {
  add(PodBuilder("x1").label("app", "x").on("a1").deleted(kTimeZero));
  EXPECT_FALSE(check(spread("p"), "a1"));
}

TEST_F(SpreadFilterTest, TakesFewerDomainsThanWantedForAnEmptyOne) {
  PodBuilder pod = spread("p");
  pod.raw().mutable_spec()->mutable_topology_spread_constraints(0)->set_min_domains(3);
  add(PodBuilder("x2").label("app", "x").on("b1"));
  EXPECT_TRUE(check(pod, "b1"));
  EXPECT_FALSE(check(spread("p"), "b1"));
}

class AffinityFilterTest : public FiltersTest {
 protected:
  void SetUp() override {
    add(NodeBuilder("a1").zone("a"));
    add(NodeBuilder("a2").zone("a"));
    add(NodeBuilder("b1").zone("b"));
  }
  static constexpr std::string_view kZone = "topology.kubernetes.io/zone";
};

TEST_F(AffinityFilterTest, WantsADomainThatHasTheOtherPod) {
  add(PodBuilder("cache").label("app", "cache").on("a1"));
  EXPECT_FALSE(check(PodBuilder("p").needs_app("cache", kZone), "a2"));
  EXPECT_EQ(reasons(PodBuilder("p").needs_app("cache", kZone), "b1"),
            Texts{"node(s) didn't match pod affinity rules"});
}

TEST_F(AffinityFilterTest, LetsTheFirstOfItsKindGoAnywhere) {
  EXPECT_FALSE(check(PodBuilder("p").label("app", "x").needs_app("x", kZone), "b1"));
  EXPECT_TRUE(check(PodBuilder("p").label("app", "y").needs_app("x", kZone), "b1"));
}

TEST_F(AffinityFilterTest, KeepsAwayFromWhatItRefuses) {
  add(PodBuilder("noisy").label("app", "noisy").on("a1"));
  EXPECT_EQ(reasons(PodBuilder("p").refuses_app("noisy", kZone), "a2"),
            Texts{"node(s) didn't match pod anti-affinity rules"});
  EXPECT_FALSE(check(PodBuilder("p").refuses_app("noisy", kZone), "b1"));
}

TEST_F(AffinityFilterTest, KeepsAwayFromWhoRefusesIt) {
  add(PodBuilder("proud").refuses_app("x", kZone).on("a1"));
  EXPECT_EQ(reasons(PodBuilder("p").label("app", "x"), "a2"),
            Texts{"node(s) didn't satisfy existing pods anti-affinity rules"});
  EXPECT_FALSE(check(PodBuilder("p").label("app", "x"), "b1"));
}

TEST_F(AffinityFilterTest, MeansItsOwnNamespaceUnlessToldOtherwise) {
  add(PodBuilder("noisy", "other").label("app", "noisy").on("a1"));
  EXPECT_FALSE(check(PodBuilder("p").refuses_app("noisy", kZone), "a1"));
}

TEST_F(AffinityFilterTest, FollowsPodsThatComeAndGoWhileAPlacementIsTried) {
  const PodPtr subject = info(PodBuilder("p").refuses_app("noisy", kZone));
  const PodPtr noisy = info(PodBuilder("noisy").label("app", "noisy"));
  const NodeInfo& a1 = node("a1");
  Filters filters(*subject, snapshot);
  filters.update(*noisy, a1, 1);
  EXPECT_TRUE(filters.check(a1));
  filters.update(*noisy, a1, -1);
  EXPECT_FALSE(filters.check(a1));
}

TEST(Reasons, AreCountedAndSortedAsText) {
  SchedulingFixture cluster;
  const PodPtr pod = cluster.info(PodBuilder("p").gpus(1));
  std::vector<Rejection> rejections(
      8, Rejection{Plugin::NodeResourcesFit, true, Rejection::kGpu, nullptr});
  rejections.push_back({Plugin::NodeUnschedulable, false, 0, nullptr});
  std::map<std::string, std::size_t> counts;
  count_reasons(rejections, *pod, counts);
  EXPECT_EQ(histogram_text(counts), "1 node(s) were unschedulable, 8 Insufficient nvidia.com/gpu");
}

}  // namespace
}  // namespace troupe::scheduling
