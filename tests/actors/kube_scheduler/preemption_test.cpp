#include "actors/kube_scheduler/preemption.h"

#include <gtest/gtest.h>

#include "actors/kube_scheduler/pod_scheduler.h"
#include "messages/conditions.h"
#include "tests/actors/scheduling/scheduling_fixture.h"

namespace troupe::kube_scheduler {
namespace {

using namespace std::chrono_literals;
using testing::NodeBuilder;
using testing::PodBuilder;
using testing::SchedulingFixture;

class PreemptionTest : public ::testing::Test, public SchedulingFixture {
 protected:
  Preemption run(const PodBuilder& builder) {
    const auto pod = info(builder);
    const std::optional<k8s::LabelSelector> none;
    PodScheduler scheduler{PodSchedulerOptions{}};
    const Decision decision =
        scheduler.decide({*pod, refresh(), nominator, none, [] { return 0; }});
    EXPECT_EQ(decision.node, "");
    return preempt({*pod, snapshot, decision.rejections, nominator, budgets, [] { return 0; }});
  }
  static std::vector<std::string> names(const std::vector<scheduling::PodPtr>& pods) {
    std::vector<std::string> result;
    for (const auto& pod : pods) result.push_back(pod->name());
    return result;
  }
  void protect(std::string_view app, int disruptions_allowed) {
    auto budget = std::make_shared<k8s::PodDisruptionBudget>();
    budget->mutable_metadata()->set_namespace_("default");
    set_label(*budget->mutable_spec()->mutable_selector()->mutable_match_labels(), "app", app);
    budget->mutable_status()->set_disruptions_allowed(disruptions_allowed);
    budgets.push_back(budget);
  }
  static PodBuilder running(std::string_view name, int gpus, int priority) {
    return PodBuilder(name).gpus(gpus).priority(priority).on("n");
  }

  Nominator nominator;
  Budgets budgets;
};

using Names = std::vector<std::string>;

TEST_F(PreemptionTest, EvictsNoMoreThanItNeeds) {
  add(NodeBuilder("n").gpus(4));
  add(running("a", 2, 1));
  add(running("b", 2, 2));
  const Preemption result = run(PodBuilder("p").gpus(2).priority(10));
  EXPECT_EQ(result.node, "n");
  EXPECT_EQ(names(result.victims), Names{"a"});
}

TEST_F(PreemptionTest, SparesTheOneThatRanLonger) {
  add(NodeBuilder("n").gpus(2));
  add(running("young", 1, 1).started(kTimeZero + 20s));
  add(running("old", 1, 1).started(kTimeZero + 10s));
  EXPECT_EQ(names(run(PodBuilder("p").gpus(1).priority(10)).victims), Names{"young"});
}

TEST_F(PreemptionTest, NeverEvictsAnEqual) {
  add(NodeBuilder("n").gpus(1));
  add(running("a", 1, 10));
  const Preemption result = run(PodBuilder("p").gpus(1).priority(10));
  EXPECT_EQ(result.node, "");
  EXPECT_EQ(result.message,
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
}

TEST_F(PreemptionTest, SaysOnWhichNodesItIsOfNoUse) {
  add(NodeBuilder("n").gpus(1));
  add(running("a", 1, 10));
  add(NodeBuilder("tainted").gpus(1).taint("k", "v", "NoSchedule"));
  EXPECT_EQ(run(PodBuilder("p").gpus(1).priority(10)).message,
            "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
            "1 Preemption is not helpful for scheduling.");
}

TEST_F(PreemptionTest, RespectsAPodThatMustNotPreempt) {
  add(NodeBuilder("n").gpus(1));
  add(running("a", 1, 1));
  PodBuilder pod("p");
  pod.gpus(1).priority(10).raw().mutable_spec()->set_preemption_policy("Never");
  EXPECT_EQ(run(pod).message, "preemption: not eligible due to preemptionPolicy=Never.");
}

TEST_F(PreemptionTest, PrefersVictimsThatNoBudgetProtects) {
  add(NodeBuilder("n").gpus(2));
  add(running("guarded", 1, 1).label("app", "guarded"));
  add(running("free", 1, 2));
  protect("guarded", 0);
  EXPECT_EQ(names(run(PodBuilder("p").gpus(1).priority(10)).victims), Names{"free"});
}

TEST_F(PreemptionTest, ViolatesABudgetWhereThereIsNoOtherWay) {
  add(NodeBuilder("n").gpus(1));
  add(running("guarded", 1, 1).label("app", "guarded"));
  protect("guarded", 0);
  EXPECT_EQ(names(run(PodBuilder("p").gpus(1).priority(10)).victims), Names{"guarded"});
}

TEST_F(PreemptionTest, TakesTheNodeWhoseVictimsMatterLeast) {
  add(NodeBuilder("n").gpus(1));
  add(NodeBuilder("m").gpus(1));
  add(running("high", 1, 5));
  add(PodBuilder("low").gpus(1).priority(1).on("m"));
  const Preemption result = run(PodBuilder("p").gpus(1).priority(10));
  EXPECT_EQ(result.node, "m");
}

TEST_F(PreemptionTest, TakesFewerVictimsOfEqualImportance) {
  add(NodeBuilder("n").gpus(2));
  add(NodeBuilder("m").gpus(2));
  add(running("a", 1, 1));
  add(running("b", 1, 1));
  add(PodBuilder("c").gpus(2).priority(1).on("m"));
  EXPECT_EQ(run(PodBuilder("p").gpus(2).priority(10)).node, "m");
}

TEST_F(PreemptionTest, WithdrawsLessImportantNominationsOnItsNode) {
  add(NodeBuilder("n").gpus(1));
  add(running("a", 1, 1));
  nominator.nominate(info(PodBuilder("other").gpus(1).priority(5)), "n");
  EXPECT_EQ(names(run(PodBuilder("p").gpus(1).priority(10)).displaced), Names{"other"});
}

// C46: a victim with a long grace period is still there.
class LateVictim : public PreemptionTest {
 protected:
  void SetUp() override {
    add(NodeBuilder("n").gpus(1));
    add(NodeBuilder("m").gpus(1));
    add(PodBuilder("other").gpus(1).priority(1).on("m"));
    nominator.nominate(info(PodBuilder("p").gpus(1).priority(10)), "n");
  }
  void victim_goes(std::string_view reason) {
    PodBuilder victim = running("victim", 1, 1).deleted(kTimeZero + 600s);
    set_condition(*victim.raw().mutable_status()->mutable_conditions(),
                  {"DisruptionTarget", "True", reason}, kTimeZero);
    add(victim);
  }
};

TEST_F(LateVictim, C46HoldsThePreemptorBackWhileItTerminates) {
  victim_goes("PreemptionByScheduler");
  EXPECT_EQ(run(PodBuilder("p").gpus(1).priority(10)).message,
            "preemption: not eligible due to a terminating pod on the nominated node.");
}

TEST_F(LateVictim, C46DoesNotHoldItBackWhereThePodEndsForAnotherReason) {
  victim_goes("DeletionByTaintManager");
  EXPECT_NE(run(PodBuilder("p").gpus(1).priority(10)).node, "");
}

TEST_F(LateVictim, C46LetsThePreemptorGoElsewhereWhereTheNodeIsLost) {
  victim_goes("PreemptionByScheduler");
  add(NodeBuilder("n").gpus(1).taint("node.kubernetes.io/unreachable", "", "NoSchedule"));
  EXPECT_EQ(run(PodBuilder("p").gpus(1).priority(10)).node, "m");
}

}  // namespace
}  // namespace troupe::kube_scheduler
