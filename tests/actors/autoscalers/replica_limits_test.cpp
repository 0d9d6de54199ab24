#include "actors/autoscalers/hpa/replica_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actors/autoscalers/hpa_harness.h"

namespace troupe::hpa {
namespace {

using namespace harness;
using ::testing::ElementsAre;

constexpr Duration kTick = 15s;

// A target that follows each limited proposal at once; one proposal per tick.
class Follower {
 public:
  Follower(std::int32_t replicas, std::int32_t max, std::optional<Behavior> behavior)
      : replicas_(replicas), max_(max), behavior_(std::move(behavior)) {}

  std::int32_t tick(SimTime now, std::int32_t proposed) {
    history_.begin(replicas_, now);
    const LimitArguments arguments{1, max_, replicas_, proposed, now};
    last = behavior_ ? limit_by_behavior(arguments, *behavior_, history_)
                     : limit_without_behavior(arguments, 5min, history_);
    if (behavior_ && last.replicas != replicas_) {
      history_.record_rescale(*behavior_, replicas_, last.replicas, now);
    }
    return replicas_ = last.replicas;
  }
  std::vector<std::int32_t> ticks(int count, std::int32_t proposed) {
    std::vector<std::int32_t> seen;
    for (int i = 0; i < count; ++i) seen.push_back(tick(at(i * kTick), proposed));
    return seen;
  }

  LimitedReplicas last;

 private:
  std::int32_t replicas_;
  std::int32_t max_;
  std::optional<Behavior> behavior_;
  History history_;
};

// ---- C52: how fast a target may grow ----

TEST(ReplicaLimits, C52WithBehaviorGrowthIsFourOrDoubleEveryPeriod) {
  // max(n + 4, 2n): 1 -> 5 -> 10 -> 20 -> 40 -> 80 -> 100; an event exactly 15 s old no longer
  // counts.
  Follower follower(1, 100, default_behavior());
  EXPECT_THAT(follower.ticks(6, 100'000), ElementsAre(5, 10, 20, 40, 80, 100));
  EXPECT_EQ(follower.last.limit_reason, "TooManyReplicas");
}

TEST(ReplicaLimits, C52WithoutBehaviorGrowthIsFourThenDouble) {
  // max(2n, 4): 1 -> 4 -> 8 -> 16 -> 32 -> 64 -> 100.
  Follower follower(1, 100, std::nullopt);
  EXPECT_THAT(follower.ticks(6, 100'000), ElementsAre(4, 8, 16, 32, 64, 100));
  EXPECT_EQ(follower.last.limit_reason, "TooManyReplicas");
}

TEST(ReplicaLimits, AnEventWithinThePeriodCountsAgainstTheRate) {
  Follower follower(1, 100, default_behavior());
  EXPECT_EQ(follower.tick(at(0s), 50), 5);
  EXPECT_EQ(follower.tick(at(14s), 50), 5);  // period start was 1: max(1 + 4, 2) = 5
  EXPECT_EQ(follower.last.limit_reason, "ScaleUpLimit");
  EXPECT_TRUE(follower.last.limited);
  EXPECT_EQ(follower.tick(at(15s), 50), 10);
}

TEST(ReplicaLimits, AScaleDownWithinThePeriodLeavesRoomToGrowBack) {
  Behavior behavior = default_behavior();
  behavior.down.stabilization = 0s;
  Follower follower(10, 100, behavior);
  EXPECT_EQ(follower.tick(at(0s), 2), 2);
  // Period start = 2 + 8 removed = 10: max(10 + 4, 20) = 20.
  EXPECT_EQ(follower.tick(at(5s), 100), 20);
}

TEST(ReplicaLimits, PercentRoundsUpSoThatAScaleUpAlwaysMoves) {
  Behavior behavior = default_behavior();
  behavior.up.policies = {{ScalingPolicy::Type::Percent, 10, 60s}};
  Follower follower(1, 100, behavior);
  // ceil(1 x 1.1) = 2, then ceil(2 x 1.1) = 3 a minute later.
  EXPECT_EQ(follower.tick(at(0s), 50), 2);
  EXPECT_EQ(follower.tick(at(60s), 50), 3);
}

TEST(ReplicaLimits, SelectMinTakesTheSmallerChange) {
  Behavior behavior = default_behavior();
  behavior.up.select = SelectPolicy::Min;
  Follower follower(10, 100, behavior);
  EXPECT_EQ(follower.tick(at(0s), 50), 14);  // min(10 + 4, 20)
}

TEST(ReplicaLimits, SelectMinOnTheWayDownTakesTheSmallerChange) {
  Behavior behavior = default_behavior();
  behavior.down = {0s,
                   SelectPolicy::Min,
                   {{ScalingPolicy::Type::Pods, 1, 60s}, {ScalingPolicy::Type::Percent, 50, 60s}},
                   {}};
  Follower follower(10, 100, behavior);
  EXPECT_EQ(follower.tick(at(0s), 1), 9);  // max(10 - 1, 5)
  EXPECT_EQ(follower.last.limit_reason, "ScaleDownLimit");
  EXPECT_EQ(follower.tick(at(30s), 1), 9);
  EXPECT_EQ(follower.tick(at(60s), 1), 8);
}

TEST(ReplicaLimits, PercentDownTruncates) {
  Behavior behavior = default_behavior();
  behavior.down = {0s, SelectPolicy::Max, {{ScalingPolicy::Type::Percent, 10, 60s}}, {}};
  Follower follower(5, 100, behavior);
  EXPECT_EQ(follower.tick(at(0s), 1), 4);  // trunc(5 x 0.9) = 4
}

TEST(ReplicaLimits, DisabledForbidsADirection) {
  Behavior behavior = default_behavior();
  behavior.down.select = SelectPolicy::Disabled;
  behavior.down.stabilization = 0s;
  Follower follower(10, 100, behavior);
  EXPECT_EQ(follower.tick(at(0s), 1), 10);
  EXPECT_EQ(follower.tick(at(15s), 20), 20);
}

// ---- C55: stabilization windows ----

TEST(ReplicaLimits, C55ScaleDownFollowsTheHighestOfTheLastFiveMinutes) {
  Follower follower(10, 100, default_behavior());
  std::map<Duration, std::int32_t> seen;
  for (Duration t = 0s; t <= 330s; t += kTick) {
    const std::int32_t proposed = t == 0s ? 10 : t == 15s ? 9 : 4;
    seen[t] = follower.tick(at(t), proposed);
  }
  EXPECT_EQ(seen[285s], 10);
  EXPECT_EQ(seen[300s], 9);  // the 10 of t=0 is exactly 300 s old: out
  EXPECT_EQ(seen[315s], 4);
}

TEST(ReplicaLimits, C55WithoutBehaviorASampleExactlyOneWindowOldStillCounts) {
  Follower follower(10, 100, std::nullopt);
  std::map<Duration, std::int32_t> seen;
  for (Duration t = 0s; t <= 345s; t += kTick) {
    const std::int32_t proposed = t == 0s ? 10 : t == 15s ? 9 : 4;
    seen[t] = follower.tick(at(t), proposed);
  }
  EXPECT_EQ(seen[300s], 10);
  EXPECT_EQ(seen[315s], 9);
  EXPECT_EQ(seen[330s], 4);
}

TEST(ReplicaLimits, C55ScaleUpWindowWaitsForTheLowest) {
  Behavior behavior = default_behavior();
  behavior.up.stabilization = 60s;
  Follower follower(5, 100, behavior);
  EXPECT_EQ(follower.tick(at(0s), 5), 5);
  for (Duration t = kTick; t < 60s; t += kTick) {
    EXPECT_EQ(follower.tick(at(t), 9), 5) << t.count();
    EXPECT_EQ(follower.last.able_reason, "ScaleUpStabilized");
  }
  EXPECT_EQ(follower.tick(at(60s), 9), 9);
  EXPECT_EQ(follower.last.able_reason, "ReadyForNewScale");
}

TEST(ReplicaLimits, TheFirstSyncCountsTheReplicasItFinds) {
  // A controller that restarts has no history; what it finds keeps a target from shrinking for one
  // window.
  Follower follower(10, 100, default_behavior());
  EXPECT_EQ(follower.tick(at(0s), 1), 10);
  EXPECT_EQ(follower.last.able_reason, "ScaleDownStabilized");
  EXPECT_EQ(follower.tick(at(300s), 1), 1);
}

TEST(ReplicaLimits, BoundsAreTheLastWord) {
  Behavior behavior = default_behavior();
  behavior.down.stabilization = 0s;
  History history;
  const LimitedReplicas low = limit_by_behavior({2, 10, 4, 0, at(0s)}, behavior, history);
  EXPECT_EQ(low.replicas, 2);
  EXPECT_EQ(low.limit_reason, "TooFewReplicas");
  History other;
  const LimitedReplicas within = limit_by_behavior({2, 10, 4, 5, at(0s)}, behavior, other);
  EXPECT_EQ(within.replicas, 5);
  EXPECT_EQ(within.limit_reason, "DesiredWithinRange");
  EXPECT_FALSE(within.limited);
}

TEST(ReplicaLimits, HistoryStaysBounded) {
  Follower follower(1, 100, default_behavior());
  History history;
  const Behavior behavior = default_behavior();
  for (int i = 0; i < 1000; ++i) {
    const SimTime now = at(i * kTick);
    (void)limit_by_behavior({1, 100, 5, 5, now}, behavior, history);
    history.record_rescale(behavior, 5, 6, now);
  }
  EXPECT_LE(history.recommendations.size(), 22u);  // 300 s of ticks and their edges
  EXPECT_LE(history.scale_ups.size(), 3u);         // 15 s of ticks and their edges
}

}  // namespace
}  // namespace troupe::hpa
