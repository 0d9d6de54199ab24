#include <gtest/gtest.h>

#include "emulator/report/summary.h"
#include "tests/emulator/report/facts.h"

namespace troupe::test {
namespace {

constexpr std::int64_t kMinute = 60;

double minutes(const Accounts& accounts, GpuClass gpu_class) {
  return to_minutes(accounts.gpus.in(gpu_class));
}

double sum_of_classes(const Accounts& accounts) {
  GpuTime sum = 0;
  for (std::size_t i = 0; i < kGpuClassNames.size(); ++i)
    sum += accounts.gpus.in(static_cast<GpuClass>(i));
  return to_minutes(sum);
}

TEST(GpuAccount, PutsEachMinuteOfALifeInOneClass) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, launched("a", 1));
  tell(accounts, 2 * kMinute, allocatable("a", 0));
  tell(accounts, 3 * kMinute, assigned("p", "a", {0}));
  tell(accounts, 5 * kMinute, stage("p", facts::WorkloadStage::READY));
  tell(accounts, 9 * kMinute, about<facts::WorkloadBusy>("p"));
  tell(accounts, 12 * kMinute, about<facts::WorkloadIdle>("p"));
  tell(accounts, 14 * kMinute, about<facts::PodDeletionRequested>("p"));
  tell(accounts, 15 * kMinute, about<facts::DevicesReleased>("p"));
  tell(accounts, 20 * kMinute, terminated("a"));
  accounts.finish(from_ns(30 * kMinute * 1'000'000'000));
  EXPECT_EQ(minutes(accounts, GpuClass::Booting), 2);
  EXPECT_EQ(minutes(accounts, GpuClass::Unallocated), 1 + 5);
  EXPECT_EQ(minutes(accounts, GpuClass::Loading), 2);
  EXPECT_EQ(minutes(accounts, GpuClass::Ready), 4 + 2);
  EXPECT_EQ(minutes(accounts, GpuClass::Busy), 3);
  EXPECT_EQ(minutes(accounts, GpuClass::Draining), 1);
  EXPECT_EQ(to_minutes(accounts.gpus.provisioned()), 20);
  EXPECT_EQ(sum_of_classes(accounts), 20);
}

TEST(GpuAccount, StrandsTheGpusOfAGangUntilItsMinimumIsThere) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, launched("a", 2));
  for (std::uint32_t gpu : {0u, 1u}) tell(accounts, 0, allocatable("a", gpu));
  tell(accounts, 0, gang("default/g", 2));
  tell(accounts, 0, member("default/g", "p"));
  tell(accounts, 0, member("default/g", "q"));
  tell(accounts, 0, assigned("p", "a", {0}));
  tell(accounts, 4 * kMinute, assigned("q", "a", {1}));
  tell(accounts, 6 * kMinute, about<facts::DevicesReleased>("q"));
  accounts.finish(from_ns(10 * kMinute * 1'000'000'000));
  EXPECT_EQ(minutes(accounts, GpuClass::Stranded), 4 + 4);
  EXPECT_EQ(minutes(accounts, GpuClass::Loading), 2 * 2);
  EXPECT_EQ(minutes(accounts, GpuClass::Unallocated), 4 + 4);
  EXPECT_EQ(accounts.gangs.admitted(), 1u);
  EXPECT_EQ(accounts.gangs.waiting(), 1u);
  EXPECT_EQ(accounts.gangs.partial(), std::chrono::minutes(8));
  EXPECT_EQ(sum_of_classes(accounts), to_minutes(accounts.gpus.provisioned()));
}

// KAI makes a PodGroup of the pods of a LeaderWorkerSet: whoever is heard first, they are one gang.
TEST(GangAccount, CountsAPodInOneGangWhicheverDeclarationComesFirst) {
  for (const bool pod_group_first : {true, false}) {
    Accounts accounts{plan::RunPlan{}};
    tell(accounts, 0, gang("default/lws-0", 2));
    tell(accounts, 0, gang("default/pg-lws-0", 2));
    for (const char* uid : {"p", "q"}) {
      const bool first = pod_group_first == (uid[0] == 'p');
      tell(accounts, 0,
           first ? member("default/pg-lws-0", uid, "PodGroup") : member("default/lws-0", uid));
      tell(accounts, 0,
           first ? member("default/lws-0", uid) : member("default/pg-lws-0", uid, "PodGroup"));
    }
    tell(accounts, 1, about<facts::PodStarted>("p"));
    EXPECT_EQ(accounts.gangs.waiting(), 1u);
    tell(accounts, 3, about<facts::PodStarted>("q"));
    EXPECT_EQ(accounts.gangs.admitted(), 1u);
    EXPECT_EQ(accounts.gangs.waiting(), 0u);
    EXPECT_EQ(accounts.gangs.partial(), std::chrono::seconds(2));
  }
}

TEST(GangAccount, AGangThatItsWorkloadGaveUpWaitsForNothing) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, gang("default/g-1", 2));
  tell(accounts, 0, member("default/g-1", "p"));
  tell(accounts, 0, about<facts::PodStarted>("p"));
  EXPECT_EQ(accounts.gangs.waiting(), 1u);
  tell(accounts, 5, dissolved("default/g-1"));
  EXPECT_EQ(accounts.gangs.waiting(), 0u);
  EXPECT_FALSE(accounts.gangs.incomplete("p"));
  // Another of the same name is another gang.
  tell(accounts, 9, gang("default/g-1", 1));
  tell(accounts, 9, member("default/g-1", "r"));
  tell(accounts, 9, about<facts::PodStarted>("r"));
  EXPECT_EQ(accounts.gangs.admitted(), 1u);
  accounts.finish(from_ns(20'000'000'000));
  EXPECT_EQ(accounts.gangs.partial(), std::chrono::seconds(5));
}

TEST(GangAccount, ADeletedPodIsNoMemberAnyMore) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, gang("default/g", 1));
  tell(accounts, 0, member("default/g", "p"));
  tell(accounts, 1, about<facts::PodStarted>("p"));
  tell(accounts, 2, about<facts::PodDeleted>("p"));
  EXPECT_EQ(accounts.gangs.waiting(), 0u);
  EXPECT_EQ(accounts.gangs.admitted(), 1u);
}

TEST(GpuAccount, ACrashedNodeTakesAllGpusOfItsPods) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, launched("a", 2));
  for (std::uint32_t gpu : {0u, 1u}) tell(accounts, 0, allocatable("a", gpu));
  tell(accounts, 0, assigned("p", "a", {0, 1}));
  facts::HostCrashed crash;
  crash.set_host("node/a");
  tell(accounts, 4 * kMinute, Payload::of(std::move(crash)));
  accounts.finish(from_ns(10 * kMinute * 1'000'000'000));
  EXPECT_EQ(minutes(accounts, GpuClass::Loading), 2 * 4);
  EXPECT_EQ(minutes(accounts, GpuClass::Faulty), 2 * 6);
  EXPECT_EQ(sum_of_classes(accounts), to_minutes(accounts.gpus.provisioned()));
}

TEST(GpuAccount, SplitsASharedGpuByMilliGpu) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, launched("a", 1));
  tell(accounts, 0, allocatable("a", 0));
  tell(accounts, 0, assigned("p", "a", {0}, 500));
  tell(accounts, 0, assigned("q", "a", {0}, 200));
  tell(accounts, 0, stage("q", facts::WorkloadStage::READY));
  accounts.finish(from_ns(10 * kMinute * 1'000'000'000));
  EXPECT_EQ(minutes(accounts, GpuClass::Loading), 5);
  EXPECT_EQ(minutes(accounts, GpuClass::Ready), 2);
  EXPECT_EQ(minutes(accounts, GpuClass::Unallocated), 3);
}

TEST(GpuAccount, CountsACrashedNodesGpusAsFaultyUntilTheyAreAllocatableAgain) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, launched("a", 1));
  tell(accounts, 0, allocatable("a", 0));
  tell(accounts, 0, assigned("p", "a", {0}));
  facts::HostCrashed crashed;
  crashed.set_host("node/a");
  tell(accounts, 1 * kMinute, Payload::of(crashed));
  tell(accounts, 3 * kMinute, launched("a", 1));
  tell(accounts, 4 * kMinute, allocatable("a", 0));
  accounts.finish(from_ns(10 * kMinute * 1'000'000'000));
  EXPECT_EQ(minutes(accounts, GpuClass::Loading), 1);
  EXPECT_EQ(minutes(accounts, GpuClass::Faulty), 3);
  EXPECT_EQ(minutes(accounts, GpuClass::Unallocated), 6);
  EXPECT_EQ(sum_of_classes(accounts), to_minutes(accounts.gpus.provisioned()));
}

TEST(ClusterAccount, KeepsWhatWasSaidOfPodsThatHaveNoNode) {
  Accounts accounts{plan::RunPlan{}};
  const auto refuse = [&accounts](const std::string& uid, const std::string& why) {
    facts::PodUnschedulable fact;
    fact.set_uid(uid);
    fact.set_namespace_("default");
    fact.set_name("pod-" + uid);
    fact.set_message(why);
    tell(accounts, 0, Payload::of(std::move(fact)));
  };
  for (const char* uid : {"a", "b", "c"}) refuse(uid, "too many GPUs");
  refuse("a", "no nodes");
  tell(accounts, 1, about<facts::PodBound>("b"));
  tell(accounts, 1, about<facts::PodDeleted>("c"));
  EXPECT_EQ(accounts.cluster.unschedulable(),
            (std::map<std::string, std::string>{{"default/pod-a", "no nodes"}}));
}

TEST(ClusterAccount, ChargesAnInstanceFromLaunchToEnd) {
  Accounts accounts{plan::RunPlan{}};
  tell(accounts, 0, launched("a", 8, 55'040'000));  // $55.04 an hour
  tell(accounts, 30 * kMinute, launched("b", 0, 1'000'000));
  tell(accounts, 45 * kMinute, terminated("a"));
  accounts.finish(from_ns(60 * kMinute * 1'000'000'000));
  EXPECT_DOUBLE_EQ(accounts.cluster.cost_usd(), 55.04 * 0.75 + 0.5);
}

TEST(RequestAccount, EndsEachRequestOnceAndCountsWhatMeetsEveryObjective) {
  plan::RunPlan plan;
  plan.mutable_slo()->set_ttft_ns(500'000'000);
  plan.mutable_slo()->set_tpot_ns(50'000'000);
  Accounts accounts{plan};
  const auto end = [&accounts](facts::RequestEnded::Outcome outcome, std::int64_t ttft_ms,
                               std::int64_t tpot_ms) {
    tell(accounts, 0, Payload::of(facts::RequestIssued{}));
    facts::RequestEnded fact;
    fact.set_outcome(outcome);
    fact.set_ttft_ns(ttft_ms * 1'000'000);
    fact.set_tpot_ns(tpot_ms * 1'000'000);
    tell(accounts, 1, Payload::of(fact));
  };
  end(facts::RequestEnded::COMPLETED, 500, 50);  // at the limit is within
  end(facts::RequestEnded::COMPLETED, 501, 10);
  end(facts::RequestEnded::COMPLETED, 100, 51);
  end(facts::RequestEnded::TIMED_OUT, 0, 0);
  end(facts::RequestEnded::REJECTED, 0, 0);
  end(facts::RequestEnded::FAILED, 0, 0);
  tell(accounts, 2, Payload::of(facts::RequestIssued{}));
  const RequestTotals& totals = accounts.requests.totals();
  EXPECT_EQ(totals.total, 7u);
  EXPECT_EQ(totals.completed, 3u);
  EXPECT_EQ(totals.within_slo, 1u);
  EXPECT_EQ(totals.unfinished(), 1u);
  EXPECT_EQ(
      totals.completed + totals.timed_out + totals.rejected + totals.failed + totals.unfinished(),
      totals.total);
}

TEST(Percentiles, AreNearestRanksOfSamplesThatOccurred) {
  Samples samples;
  EXPECT_FALSE(samples.percentile(50));
  for (std::int64_t i = 100; i >= 1; --i) samples.add(i);
  EXPECT_EQ(samples.percentile(50), 50);
  EXPECT_EQ(samples.percentile(99), 99);
  EXPECT_EQ(samples.percentile(100), 100);
  WeightedSamples weighted;
  weighted.add(10, 98);
  weighted.add(20, 1);
  weighted.add(30, 1);
  EXPECT_EQ(weighted.percentile(90), 10);
  EXPECT_EQ(weighted.percentile(99), 20);
  EXPECT_EQ(weighted.percentile(100), 30);
}

}  // namespace
}  // namespace troupe::test
