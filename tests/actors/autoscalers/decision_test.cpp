#include "actors/autoscalers/hpa/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actors/autoscalers/hpa_harness.h"

namespace troupe::hpa {
namespace {

using namespace harness;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

MetricReading reading_of(std::int32_t pods, std::int64_t units) {
  MetricReading reading;
  reading.pods = samples(std::vector<std::int64_t>(static_cast<std::size_t>(pods), units * 1000));
  reading.totals = {units * 1000};
  return reading;
}
MetricReading broken(const std::string& error = "no metrics returned from custom metrics API") {
  MetricReading reading;
  reading.error = error;
  return reading;
}

// ---- C57: a metric that cannot be read holds back a scale-down, never causes one ----

struct BrokenCase {
  const char* name;
  std::int64_t wanted_by_m1;  // replicas
  std::int32_t expected;
  bool active;
};

void PrintTo(const BrokenCase& one, std::ostream* out) {
  *out << one.name;
}

class BrokenMetric : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenMetric, C57) {
  // Target 10 a pod, current 5: a mean of 2w makes m1 want ceil(2w / 10 x 5) = w.
  Harness hpa(spec_of({pods_metric(10, "m1"), pods_metric(10, "m2")}, 20, default_behavior()), 5);
  const Decision decision =
      hpa.sync(at(0s), ready_pods(5), {reading_of(5, 2 * GetParam().wanted_by_m1), broken()});
  EXPECT_EQ(hpa.replicas(), GetParam().expected);
  EXPECT_EQ(decision.metrics_failed, !GetParam().active);
  EXPECT_EQ(hpa.reason_of(kScalingActive),
            GetParam().active ? "True/ValidMetricFound" : "False/FailedGetPodsMetric");
}

INSTANTIATE_TEST_SUITE_P(Decision, BrokenMetric,
                         ::testing::Values(BrokenCase{"WantsLess", 3, 5, false},
                                           BrokenCase{"WantsTheSame", 5, 5, true},
                                           BrokenCase{"WantsMore", 7, 7, true}),
                         [](const auto& one) { return one.param.name; });

TEST(Decision, TheErrorNamesTheFirstInvalidMetric) {
  Harness hpa(spec_of({pods_metric(10, "m1"), pods_metric(10, "m2")}, 20), 5);
  const Decision decision = hpa.sync(at(0s), ready_pods(5), {broken("gone"), broken("also gone")});
  ASSERT_EQ(decision.events.size(), 3u);
  EXPECT_EQ(decision.events[0].reason, "FailedGetPodsMetric");
  EXPECT_EQ(decision.events[0].message, "unable to get metric m1: gone");
  EXPECT_EQ(decision.events[2].reason, "FailedComputeMetricsReplicas");
  EXPECT_EQ(
      decision.events[2].message,
      "invalid metrics (2 invalid out of 2), first error is: failed to get pods metric value: "
      "unable to get metric m1: gone");
  EXPECT_THAT(find_condition(hpa.memory.conditions, kScalingActive)->message(),
              HasSubstr("unable to compute the replica count: unable to get metric m1: gone"));
}

TEST(Decision, TheLargestProposalWins) {
  Harness hpa(spec_of({pods_metric(10, "m1"), pods_metric(10, "m2")}, 20, default_behavior()), 4);
  const Decision decision = hpa.sync(at(0s), ready_pods(4), {reading_of(4, 15), reading_of(4, 20)});
  // m1: 6, m2: 8.
  EXPECT_EQ(hpa.replicas(), 8);
  EXPECT_EQ(decision.reason, "pods metric m2 above target");
  EXPECT_EQ(decision.signal, "m2=20 target=10");
  ASSERT_EQ(decision.events.size(), 1u);
  EXPECT_EQ(decision.events[0], (HpaEvent{false, "SuccessfulRescale",
                                          "New size: 8; reason: pods metric m2 above target"}));
  EXPECT_EQ(hpa.reason_of(kAbleToScale), "True/SucceededRescale");
}

// ---- H1, H2: the duty cycle as a signal ----

TEST(Decision, H1DutyCycleGrowsWhileEveryReplicaHoldsAStream) {
  // Target 80, every replica at 100: ceil(1.25 n) from 1: 2, 3, 4, 5, 7, 9, 12.
  Harness hpa(spec_of({pods_metric(80, "DCGM_FI_DEV_GPU_UTIL")}, 100, default_behavior()), 1);
  std::vector<std::int32_t> path;
  for (int tick = 0; tick < 7; ++tick) {
    hpa.sync_uniform(at(tick * 15s), 100);
    path.push_back(hpa.replicas());
  }
  EXPECT_THAT(path, ElementsAre(2, 3, 4, 5, 7, 9, 12));
}

TEST(Decision, H1DutyCycleRestsWhereTheMeanFallsInsideTheDeadBand) {
  // Ten endless streams on twelve replicas, one each: 10 x 100 / 12 = 83.333; 83.333 / 80 = 1.04:
  // rest.
  Harness hpa(spec_of({pods_metric(80, "DCGM_FI_DEV_GPU_UTIL")}, 100, default_behavior()), 12);
  std::vector<std::int64_t> util(12, 100'000);
  util[10] = util[11] = 0;
  MetricReading reading;
  reading.pods = samples(util);
  const Decision decision = hpa.sync(at(0s), ready_pods(12), {reading});
  EXPECT_EQ(hpa.replicas(), 12);
  EXPECT_EQ(decision.signal, "DCGM_FI_DEV_GPU_UTIL=83.333 target=80");
}

TEST(Decision, H2ATargetOfNinetyOneOrMoreNeverScalesUp) {
  // 100 / 91 = 1.0989 <= 1.1; 100 / 95 = 1.053. Only from 90 down does a full GPU scale (100 / 90
  // = 1.111).
  for (const std::int64_t target : {91, 95, 99}) {
    Harness hpa(spec_of({pods_metric(target)}, 100, default_behavior()), 1);
    for (int tick = 0; tick < 20; ++tick) hpa.sync_uniform(at(tick * 15s), 100);
    EXPECT_EQ(hpa.replicas(), 1) << target;
  }
  Harness alive(spec_of({pods_metric(90)}, 100, default_behavior()), 1);
  alive.sync_uniform(at(0s), 100);
  EXPECT_EQ(alive.replicas(), 2);
}

// ---- H4, H5: queue depth ----

// `waiting` requests in the queue of the only replica that is up; `loading` more replicas have no
// sample yet.
Decision queue_sync(Harness& hpa, SimTime now, std::int64_t waiting, int loading) {
  std::vector<PodState> pods = ready_pods(1);
  for (int i = 0; i < loading; ++i) {
    PodState pod = ready_pod("loading" + std::to_string(i));
    pod.ready = Readiness::False;
    pods.push_back(pod);
  }
  MetricReading reading;
  reading.pods = samples({waiting * 1000}, now);
  return hpa.sync(now, pods, {reading});
}

TEST(Decision, H4QueueDepthGrowsOnceAndThenWaitsForItsPods) {
  for (const Profile profile : {Profile::Kubernetes131, Profile::Kubernetes135}) {
    Harness hpa(spec_of({pods_metric(10, "num_requests_waiting")}, 100, default_behavior()), 1,
                {.profile = profile});
    queue_sync(hpa, at(0s), 45, 0);
    EXPECT_EQ(hpa.replicas(), 5);  // ceil(4.5), and max(1 + 4, 2) allows it
    queue_sync(hpa, at(15s), 54, 4);
    EXPECT_EQ(hpa.replicas(), 5);  // the loading four count as 0: 54 / 5 = 10.8 -> 1.08
    queue_sync(hpa, at(30s), 60, 4);
    EXPECT_EQ(hpa.replicas(), 6);  // 60 / 5 = 12 -> ceil(1.2 x 5)
  }
}

TEST(Decision, H4AtExactlyFiftyFiveWaitingTheReleaseDecides) {
  // 55 / 5 = 11 -> a ratio of exactly 1.1.
  Harness recent(spec_of({pods_metric(10)}, 100, default_behavior()), 5,
                 {.profile = Profile::Kubernetes135});
  queue_sync(recent, at(0s), 55, 4);
  EXPECT_EQ(recent.replicas(), 5);
  Harness old(spec_of({pods_metric(10)}, 100, default_behavior()), 5,
              {.profile = Profile::Kubernetes131});
  queue_sync(old, at(0s), 55, 4);
  EXPECT_EQ(old.replicas(), 6);
}

TEST(Decision, H4WithoutBehaviorTheFirstStepEndsAtFour) {
  Harness hpa(spec_of({pods_metric(10, "num_requests_waiting")}, 100), 1);
  queue_sync(hpa, at(0s), 45, 0);
  EXPECT_EQ(hpa.replicas(), 4);  // max(2 x 1, 4)
  queue_sync(hpa, at(15s), 45, 3);
  EXPECT_EQ(hpa.replicas(), 5);  // 45 / 4 = 11.25 -> ceil(1.125 x 4) = 5
}

TEST(Decision, H5ATotalPerReplicaOvershootsWhilePodsLoad) {
  Harness hpa(spec_of({external_average(10)}, 100, default_behavior()), 1);
  hpa.sync_uniform(at(0s), 45);
  EXPECT_EQ(hpa.replicas(), 5);  // ceil(45 / 10)
  hpa.sync_uniform(at(15s), 90);
  EXPECT_EQ(hpa.replicas(),
            9);  // nothing damps it: the queue grows because the five are still loading
}

// ---- H6: the scale-down window ----

TEST(Decision, H6AfterAStepTheDropComesOneWindowAfterTheLastHighSync) {
  Harness hpa(spec_of({pods_metric(10)}, 100, default_behavior()), 8);
  // The metric falls to 0 at t0 = 100 s; the last sync that saw it is s = 90 s; the drop is at s +
  // 300.
  SimTime dropped{};
  for (Duration t = 0s; t <= 420s; t += 15s) {
    hpa.sync_uniform(at(t), t < 100s ? 10 : 0);
    if (hpa.replicas() == 1 && dropped == SimTime{}) dropped = at(t);
    if (t < 390s) {
      EXPECT_EQ(hpa.replicas(), 8) << t.count();
    }
  }
  EXPECT_EQ(dropped, at(390s));
}

// ---- H7: missing series ----

TEST(Decision, H7AMissingSeriesFreezesTheReplicas) {
  Harness hpa(spec_of({pods_metric(10, "gpu_cache_usage_perc")}, 100, default_behavior()), 6);
  for (int tick = 0; tick < 60; ++tick) {
    const Decision decision = hpa.sync(at(tick * 15s), ready_pods(6), {broken()});
    EXPECT_TRUE(decision.metrics_failed);
    EXPECT_FALSE(decision.rescale);
  }
  EXPECT_EQ(hpa.replicas(), 6);
  EXPECT_EQ(hpa.reason_of(kScalingActive), "False/FailedGetPodsMetric");
}

TEST(Decision, H7AnExternalMetricWithoutSeriesIsNoZeroEither) {
  Harness hpa(spec_of({external_average(10)}, 100, default_behavior()), 6);
  hpa.sync(at(0s), ready_pods(6), {broken("no metrics returned from external metrics API")});
  EXPECT_EQ(hpa.replicas(), 6);
  EXPECT_EQ(hpa.reason_of(kScalingActive), "False/FailedGetExternalMetric");
}

// ---- BR-03 ----

TEST(Decision, BR03ASurgeRatchetsTheReplicasUpEverySync) {
  // AverageValue 10, total 100 for 10 replicas, maxSurge 1: inside the dead band status.replicas is
  // what is "kept".
  Harness hpa(spec_of({external_average(10)}, 14, default_behavior()), 10);
  std::vector<std::int32_t> path;
  for (int tick = 0; tick < 5; ++tick) {
    hpa.status_replicas = hpa.replicas() + 1;
    hpa.sync_uniform(at(tick * 15s), 10 * (hpa.replicas() + 1));
    path.push_back(hpa.replicas());
  }
  EXPECT_THAT(path, ElementsAre(11, 12, 13, 14, 14));
}

// ---- bounds, switches, selectors ----

TEST(Decision, ATargetAtZeroSwitchesTheHpaOff) {
  Harness hpa(spec_of({pods_metric(10)}, 10), 0);
  EXPECT_FALSE(hpa.sync_uniform(at(0s), 50).rescale);
  EXPECT_EQ(hpa.reason_of(kScalingActive), "False/ScalingDisabled");
}

TEST(Decision, BoundsAreRestoredWithoutLookingAtMetrics) {
  Harness above(spec_of({pods_metric(10)}, 10), 15);
  EXPECT_EQ(above.sync(at(0s), {}, {broken()}).reason,
            "Current number of replicas above Spec.MaxReplicas");
  EXPECT_EQ(above.replicas(), 10);
  Spec spec = spec_of({pods_metric(10)}, 10);
  spec.min_replicas = 3;
  Harness below(spec, 1);
  EXPECT_EQ(below.sync(at(0s), {}, {broken()}).reason,
            "Current number of replicas below Spec.MinReplicas");
  EXPECT_EQ(below.replicas(), 3);
}

TEST(Decision, TwoHpasOnTheSamePodsBothStop) {
  Harness hpa(spec_of({pods_metric(10)}, 10), 5);
  hpa.rivals = {"prod/chat", "prod/chat-2"};
  const Decision decision = hpa.sync_uniform(at(0s), 50);
  EXPECT_FALSE(decision.rescale);
  EXPECT_EQ(hpa.reason_of(kScalingActive), "False/AmbiguousSelector");
  EXPECT_EQ(decision.events[0].message,
            "pods by selector app=x are controlled by multiple HPAs: [prod/chat prod/chat-2]");
}

TEST(Decision, ATargetWithoutSelectorCannotBeScaledOnMetrics) {
  Harness hpa(spec_of({pods_metric(10)}, 10), 5);
  hpa.selector.clear();
  EXPECT_FALSE(hpa.sync_uniform(at(0s), 50).rescale);
  EXPECT_EQ(hpa.reason_of(kScalingActive), "False/InvalidSelector");
}

TEST(Decision, AFailedWriteIsNoScaleEvent) {
  Harness hpa(spec_of({pods_metric(10)}, 100, default_behavior()), 1);
  hpa.write_error = "the object has been modified";
  const Decision decision = hpa.sync_uniform(at(0s), 1000);
  EXPECT_EQ(decision.events.back().reason, "FailedRescale");
  EXPECT_EQ(hpa.reason_of(kAbleToScale), "False/FailedUpdateScale");
  EXPECT_TRUE(hpa.memory.history.scale_ups.empty());
  hpa.write_error.reset();
  hpa.sync_uniform(at(1s), 1000);
  EXPECT_EQ(hpa.replicas(), 5);  // the rate limit was not used up by the failed write
}

TEST(Decision, AZeroTargetIsRefusedAndNotDividedBy) {
  Harness hpa(spec_of({pods_metric(0)}, 100), 3);
  EXPECT_TRUE(hpa.sync_uniform(at(0s), 10).metrics_failed);
  EXPECT_EQ(hpa.replicas(), 3);
}

TEST(Decision, ToleranceOfItsOwnCountsFrom135On) {
  Behavior behavior = default_behavior();
  behavior.up.tolerance = 0.5;
  const Spec spec = spec_of({pods_metric(10)}, 100, behavior);
  Harness recent(spec, 10, {.profile = Profile::Kubernetes135});
  recent.sync_uniform(at(0s), 14);  // 1.4 <= 1 + 0.5
  EXPECT_EQ(recent.replicas(), 10);
  Harness old(spec, 10, {.profile = Profile::Kubernetes131});
  old.sync_uniform(at(0s), 14);
  EXPECT_EQ(old.replicas(), 14);
}

}  // namespace
}  // namespace troupe::hpa
