#include "actors/autoscalers/hpa/replica_calculator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actors/autoscalers/hpa_harness.h"

namespace troupe::hpa {
namespace {

using namespace harness;
using ::testing::HasSubstr;

std::int32_t by_cpu(const std::vector<PodState>& pods, const PodMetrics& metrics,
                    std::int32_t target_percent, Options options = {}) {
  const Situation now = situation(pods, static_cast<std::int32_t>(pods.size()), options);
  const auto proposal = ReplicaCalculator(now).by_utilization(metrics, {"cpu", ""}, target_percent);
  EXPECT_TRUE(proposal) << (proposal ? "" : proposal.error().message);
  return proposal ? proposal->replicas : -1;
}

std::int32_t by_mean(const std::vector<PodState>& pods, const PodMetrics& metrics,
                     std::int64_t target_milli, std::int32_t replicas, Options options = {}) {
  const Situation now = situation(pods, replicas, options);
  const auto proposal = ReplicaCalculator(now).by_average(metrics, "", target_milli);
  EXPECT_TRUE(proposal) << (proposal ? "" : proposal.error().message);
  return proposal ? proposal->replicas : -1;
}

// ---- C51: desired = ceil(ratio x ready pods), dead band of 10 % ----

TEST(ReplicaCalculator, C51ScalesByTheRatioOfUtilizationToTarget) {
  // 180m of 200m = 90 %; 90 / 50 = 1.8; ceil(1.8 x 4) = ceil(7.2) = 8.
  EXPECT_EQ(by_cpu(ready_pods(4), samples({180, 180, 180, 180}), 50), 8);
}

TEST(ReplicaCalculator, C51KeepsTheReplicasInsideTheDeadBand) {
  // 108m of 200m = 54 %; 54 / 50 = 1.08.
  EXPECT_EQ(by_cpu(ready_pods(4), samples({108, 108, 108, 108}), 50), 4);
  // 92m of 200m = 46 %; 46 / 50 = 0.92.
  EXPECT_EQ(by_cpu(ready_pods(4), samples({92, 92, 92, 92}), 50), 4);
}

TEST(ReplicaCalculator, C51ShrinksJustBelowTheDeadBand) {
  // 178m of 200m = 89 %; 0.89; ceil(8.9) = 9.
  EXPECT_EQ(by_cpu(ready_pods(10), samples(std::vector<std::int64_t>(10, 178)), 100), 9);
}

TEST(ReplicaCalculator, UtilizationTruncatesToAWholePercent) {
  // (201 + 201) x 100 / 400 = 100.5 -> 100 %.
  const std::vector<PodState> pods = ready_pods(2);
  const auto proposal =
      ReplicaCalculator(situation(pods, 2)).by_utilization(samples({201, 201}), {"cpu", ""}, 100);
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->utilization_percent, 100);
  EXPECT_EQ(proposal->usage_milli, 201);
}

// ---- the two forms of the dead band differ at a ratio of exactly 1.1 ----

TEST(ReplicaCalculator, ARatioOfExactlyOnePointOneScalesBefore133AndHoldsSince) {
  // In doubles |1.0 - 1.1| = 0.10000000000000009 > 0.1, but 1.1 <= 1.0 + 0.1.
  const Options old{.profile = Profile::Kubernetes131};
  const Options recent{.profile = Profile::Kubernetes135};
  const PodMetrics metrics = samples(std::vector<std::int64_t>(10, 110'000));
  EXPECT_EQ(by_mean(ready_pods(10), metrics, 100'000, 10, old), 11);
  EXPECT_EQ(by_mean(ready_pods(10), metrics, 100'000, 10, recent), 10);
}

TEST(ReplicaCalculator, ARatioOfExactlyNineTenthsHoldsInBoth) {
  const PodMetrics metrics = samples(std::vector<std::int64_t>(10, 90'000));
  for (const Profile profile : {Profile::Kubernetes131, Profile::Kubernetes135}) {
    EXPECT_EQ(by_mean(ready_pods(10), metrics, 100'000, 10, {.profile = profile}), 10);
  }
}

// ---- C54: a pod that is not ready counts as using nothing when scaling up (CPU) ----

std::vector<PodState> three_ready_one_starting() {
  std::vector<PodState> pods = ready_pods(4, 100);
  pods[3].ready = Readiness::False;
  pods[3].start_time = at(-20s);
  pods[3].ready_transition = at(-20s);
  return pods;
}

TEST(ReplicaCalculator, C54UnreadyPodDampsAScaleUp) {
  // Ready: 450 / 300 = 150 %. With the unready pod at 0: 450 x 100 / 400 = 112 (integer), 1.12 x 4
  // = 4.48 -> 5.
  EXPECT_EQ(by_cpu(three_ready_one_starting(), samples({150, 150, 150, 400}), 100), 5);
}

TEST(ReplicaCalculator, C54UnreadyPodTurnsAScaleUpIntoNothing) {
  // Ready: 390 / 300 = 130 %. With the unready pod: 390 x 100 / 400 = 97, ratio 0.97: flipped and
  // inside the band.
  EXPECT_EQ(by_cpu(three_ready_one_starting(), samples({130, 130, 130, 400}), 100), 4);
}

TEST(ReplicaCalculator, CpuSampleOlderThanReadinessPlusWindowIsNotTrusted) {
  std::vector<PodState> pods = ready_pods(2, 100);
  pods[1].start_time = at(-60s);
  pods[1].ready_transition = at(-10s);  // window 15 s: the first good sample is at +5 s
  // p0 at 200 % alone would give 4; with p1 at 0: 200 x 100 / 200 = 100 % -> stay 2.
  EXPECT_EQ(by_cpu(pods, samples({200, 900}), 100), 2);
  // A sample taken 5 s later is a whole window after readiness: 200 + 900 over 200 = 550 % ->
  // ceil(5.5 x 2) = 11.
  EXPECT_EQ(by_cpu(pods, samples({200, 900}, at(5s)), 100), 11);
}

TEST(ReplicaCalculator, LaterAnUnreadyPodCountsUnlessItWasNeverReady) {
  std::vector<PodState> pods = ready_pods(2, 100);
  pods[1].ready = Readiness::False;
  pods[1].start_time = at(-10min);
  pods[1].ready_transition = at(-9min);  // was ready, then failed: it counts
  // (200 + 200) / 200 = 200 % -> ceil(2 x 2) = 4.
  EXPECT_EQ(by_cpu(pods, samples({200, 200}), 100), 4);
  pods[1].ready_transition = at(-10min + 29s);  // within 30 s of the start: never ready
  // p0 alone 200 %, with p1 at 0: 100 % -> stay.
  EXPECT_EQ(by_cpu(pods, samples({200, 200}), 100), 2);
}

TEST(ReplicaCalculator, ReadinessDoesNotMatterToOtherMetrics) {
  // Both count for a Pods metric: (200 + 400) / 2 = 300 against 100 -> ceil(3 x 2) = 6.
  std::vector<PodState> pods = ready_pods(2);
  pods[1].ready = Readiness::False;
  pods[1].start_time = at(-5s);
  EXPECT_EQ(by_mean(pods, samples({200'000, 400'000}), 100'000, 2), 6);
}

// ---- missing samples ----

TEST(ReplicaCalculator, MissingPodsUseNothingWhenScalingUp) {
  // 2 of 3 report 200 against 100: ratio 2; with the third at 0: 400 / 3 = 133.333 -> 1.33333 x 3
  // -> 4.
  EXPECT_EQ(by_mean(ready_pods(3), samples({200'000, 200'000}), 100'000, 3), 4);
}

TEST(ReplicaCalculator, MissingPodsAreAtTheTargetWhenScalingDown) {
  // 2 of 4 report 20 against 100: ratio 0.2; the others at 100: 240 / 4 = 60 -> ceil(0.6 x 4) = 3.
  EXPECT_EQ(by_mean(ready_pods(4), samples({20'000, 20'000}), 100'000, 4), 3);
}

TEST(ReplicaCalculator, MissingPodsUseAllTheirRequestWhenScalingDownOnUtilization) {
  // 2 of 4 at 20 % against 50 %: ratio 0.4; the others at 100 %: (20 + 20 + 100 + 100) / 4 = 60 %
  // -> 1.2: flipped, stay.
  EXPECT_EQ(by_cpu(ready_pods(4, 100), samples({20, 20}), 50), 4);
}

TEST(ReplicaCalculator, MissingPodsUseTheTargetWhereItIsAboveTheirRequest) {
  // Target 200 %, 2 of 4 at 40 %: ratio 0.2; the others at 200 %: 480 x 100 / 400 = 120 % -> 0.6 x
  // 4 = 2.4 -> 3.
  EXPECT_EQ(by_cpu(ready_pods(4, 100), samples({40, 40}), 200), 3);
}

TEST(ReplicaCalculator, MoreSamplesThanReplicasNeverTurnAScaleDownIntoAScaleUp) {
  // 4 old pods and 4 of a new revision, 4 replicas wanted. 5 report 70, 3 are silent: ratio 0.7;
  // filled with the target (350 + 300) / 8 = 81.25 -> 0.8125 x 8 = 6.5 -> 7 > 4: against the
  // direction, stay 4.
  EXPECT_EQ(by_mean(ready_pods(8), samples({70'000, 70'000, 70'000, 70'000, 70'000}), 100'000, 4),
            4);
}

TEST(ReplicaCalculator, PodsOnTheirWayOutDoNotCount) {
  std::vector<PodState> pods = ready_pods(4);
  pods[2].deleting = true;
  pods[3].phase = PodPhase::Failed;
  // p0 and p1 at 150 against 100: ceil(1.5 x 2) = 3; the samples of p2 and p3 are thrown away.
  EXPECT_EQ(by_mean(pods, samples({150'000, 150'000, 900'000, 900'000}), 100'000, 2), 3);
}

TEST(ReplicaCalculator, NoSampleIsAnErrorAndNotAZero) {
  const std::vector<PodState> pods = ready_pods(3);
  const auto proposal = ReplicaCalculator(situation(pods, 3)).by_average({}, "", 100'000);
  ASSERT_FALSE(proposal);
  EXPECT_THAT(proposal.error().message, HasSubstr("did not receive metrics"));
}

TEST(ReplicaCalculator, NoPodIsAnError) {
  const std::vector<PodState> none;
  const auto proposal = ReplicaCalculator(situation(none, 3)).by_average(samples({1}), "", 100'000);
  ASSERT_FALSE(proposal);
  EXPECT_THAT(proposal.error().message, HasSubstr("no pods returned by selector"));
}

TEST(ReplicaCalculator, AContainerWithoutARequestIsAnError) {
  std::vector<PodState> pods = ready_pods(1);
  pods[0].containers.push_back({"sidecar", {}});
  const auto proposal =
      ReplicaCalculator(situation(pods, 1)).by_utilization(samples({100}), {"cpu", ""}, 50);
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().message, "missing request for cpu in container sidecar of Pod p0");
}

TEST(ReplicaCalculator, AContainerMetricLooksAtThatContainerAlone) {
  std::vector<PodState> pods = ready_pods(2, 100);
  for (PodState& pod : pods) pod.containers.push_back({"sidecar", {}});
  // 150m of 100m = 150 % against 100 % -> ceil(1.5 x 2) = 3.
  const auto proposal = ReplicaCalculator(situation(pods, 2))
                            .by_utilization(samples({150, 150}), {"cpu", "main"}, 100);
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->replicas, 3);
}

TEST(ReplicaCalculator, RequestsOfThePodAsAWholeComeFirst) {
  std::vector<PodState> pods = ready_pods(1, 100);
  pods[0].pod_requests = {{"cpu", 400}};
  const auto proposal =
      ReplicaCalculator(situation(pods, 1)).by_utilization(samples({200}), {"cpu", ""}, 50);
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->utilization_percent, 50);  // 200 of 400
}

// ---- C58: rollouts count the surge (kubernetes#123325, #87199) ----

TEST(ReplicaCalculator, C58aSurgePodWithoutSampleDampsTheScaleUp) {
  std::vector<PodState> pods = ready_pods(4);
  pods.push_back(pending_pod("surge"));
  // 480 / 5 = 96 -> 0.96 -> stay.
  EXPECT_EQ(by_mean(pods, samples({120'000, 120'000, 120'000, 120'000}), 100'000, 4), 4);
  pods.back() = ready_pod("surge");  // running, not yet scraped: the same
  EXPECT_EQ(by_mean(pods, samples({120'000, 120'000, 120'000, 120'000}), 100'000, 4), 4);
}

TEST(ReplicaCalculator, C58bTheSurgeIsCountedAmongThePods) {
  std::vector<PodState> pods = ready_pods(4);
  pods.push_back(pending_pod("surge"));
  // 600 / 5 = 120 -> ceil(1.2 x 5) = 6, as ceil(1.5 x 4).
  EXPECT_EQ(by_mean(pods, samples({150'000, 150'000, 150'000, 150'000}), 100'000, 4), 6);
}

TEST(ReplicaCalculator, C58cASampledSurgePodRaisesTheResult) {
  // ceil(1.2 x 5) = 6 instead of ceil(1.2 x 4) = 5.
  EXPECT_EQ(by_mean(ready_pods(5), samples(std::vector<std::int64_t>(5, 120'000)), 100'000, 4), 6);
}

// ---- Object and External metrics ----

TEST(ReplicaCalculator, ATotalScalesTheReadyPods) {
  std::vector<PodState> pods = ready_pods(4);
  pods[3].ready = Readiness::False;
  // 300 against 100: ratio 3, 3 ready pods -> 9.
  const auto proposal = ReplicaCalculator(situation(pods, 4)).by_total(300'000, 100'000);
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->replicas, 9);
}

TEST(ReplicaCalculator, ATotalStartsATargetThatIsAtZero) {
  const std::vector<PodState> none;
  // ceil(250 / 100) = 3; no dead band, no pods needed.
  EXPECT_EQ(ReplicaCalculator(situation(none, 0)).by_total(250'000, 100'000)->replicas, 3);
  EXPECT_EQ(ReplicaCalculator(situation(none, 0)).by_total(0, 100'000)->replicas, 0);
}

TEST(ReplicaCalculator, ATotalPerReplicaIgnoresPods) {
  const std::vector<PodState> none;
  // 95 / 10 -> ceil(9.5) = 10; the mean shown is ceil(95000 / 4) milli.
  const Proposal proposal =
      ReplicaCalculator(situation(none, 4)).by_total_per_replica(95'000, 10'000);
  EXPECT_EQ(proposal.replicas, 10);
  EXPECT_EQ(proposal.usage_milli, 23'750);
}

TEST(ReplicaCalculator, BR03InsideTheDeadBandATotalPerReplicaReturnsTheSurge) {
  // Rolling update: spec 10, status 12, metric at its target for 11.5 pods: 115 / (10 x 12) = 0.958
  // -> "keep" 12.
  const std::vector<PodState> none;
  const Situation rollout{10, 12, none, at(0s), {}, {}};
  EXPECT_EQ(ReplicaCalculator(rollout).by_total_per_replica(115'000, 10'000).replicas, 12);
  // The other kinds of target start from spec.replicas: the total as such is inside the band too,
  // and keeps 10.
  EXPECT_EQ(ReplicaCalculator(rollout).by_total(95'000, 100'000)->replicas, 10);
}

TEST(ReplicaCalculator, HugeRatiosEndAtTheLargestNumber) {
  EXPECT_EQ(round_up_replicas(1e300), 2147483647);
  EXPECT_EQ(round_up_replicas(-3.0), 0);
}

}  // namespace
}  // namespace troupe::hpa
