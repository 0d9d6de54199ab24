#include "actors/api_client/leader_elector.h"

#include <gtest/gtest.h>

#include "tests/support/api_cluster.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::Wire;

struct Candidate {
  Candidate(ApiCluster& cluster, const std::string& at, bool releases = false) : path(at) {
    cluster.add_client(path, {.qps = 0});
    elector = std::make_unique<LeaderElector>(
        cluster.client(path).api,
        LeaderElectorOptions{.name = "scheduler", .identity = path, .release_on_cancel = releases});
    elector->on_started([this](Context& context) { started = context.now(), ++starts; });
    elector->on_stopped([this](Context& context) { stopped = context.now(), ++stops; });
    cluster.network.as(path, [this](Context& context) { elector->start(context); });
  }
  std::string path;
  std::unique_ptr<LeaderElector> elector;
  SimTime started;
  SimTime stopped;
  int starts = 0;
  int stops = 0;
};

struct LeaderElectorTest : ::testing::Test {
  ApiCluster cluster;
  Candidate a{cluster, "controller/s/0"};
  Candidate b{cluster, "controller/s/1"};

  void isolate(const std::string& path) {
    cluster.network.lose = [path](const Wire& wire) {
      return wire.from == path || wire.to.any() == address_of(path);
    };
  }
  [[nodiscard]] const k8s::LeaseSpec lease() {
    return cluster.stored<k8s::Lease>("kube-system/scheduler")->spec();
  }
};

TEST_F(LeaderElectorTest, OneLeadsAndGoesOnLeading) {
  cluster.network.run_for(60s);
  EXPECT_TRUE(a.elector->leading());
  EXPECT_FALSE(b.elector->leading());
  EXPECT_EQ(b.elector->holder(), "controller/s/0");
  EXPECT_EQ(lease().holder_identity(), "controller/s/0");
  EXPECT_EQ(lease().lease_transitions(), 0);
  EXPECT_EQ(lease().lease_duration_seconds(), 15);
  EXPECT_GT(lease().renew_time(), to_ns(kTimeZero + 55s)) << "renewed every 2 s";
}

TEST_F(LeaderElectorTest, ALeaderThatCannotRenewStopsAfterTenSeconds) {
  cluster.network.run_for(20s);
  isolate(a.path);
  const SimTime cut = cluster.network.now();
  cluster.network.run_for(14s);
  EXPECT_FALSE(a.elector->leading());
  EXPECT_EQ(a.stops, 1);
  EXPECT_LE(a.stopped, cut + 10s);
  EXPECT_GE(a.stopped, cut + 7s) << "the last renewal was up to 2 s before the cut";
}

TEST_F(LeaderElectorTest, AnotherTakesOverOnceTheLeaseHasNotMovedForFifteenSeconds) {
  cluster.network.run_for(20s);
  isolate(a.path);
  const SimTime cut = cluster.network.now();
  cluster.network.run_for(30s);
  EXPECT_TRUE(b.elector->leading());
  EXPECT_GT(b.started, a.stopped) << "without a pause or skew no two lead at once";
  EXPECT_GE(b.started, cut + 10s);
  EXPECT_LE(b.started, cut + 15s + 5s + 1s) << "a candidate looks every 2 to 4.4 s";
  EXPECT_EQ(lease().lease_transitions(), 1);
}

TEST_F(LeaderElectorTest, AFormerLeaderThatComesBackWaitsItsTurn) {
  cluster.network.run_for(20s);
  isolate(a.path);
  cluster.network.run_for(30s);
  cluster.network.lose = [](const Wire&) { return false; };
  cluster.network.run_for(60s);
  EXPECT_FALSE(a.elector->leading());
  EXPECT_TRUE(b.elector->leading());
  EXPECT_EQ(a.starts, 1);
  EXPECT_EQ(b.stops, 0);
}

TEST_F(LeaderElectorTest, APausedLeaderBelievesItStillLeads) {
  // A process that sleeps runs no timers: nothing of it is delivered. Its writes when it wakes are
  // not fenced.
  cluster.network.run_for(20s);
  cluster.network.pause(a.path);
  cluster.network.run_for(40s);
  EXPECT_TRUE(a.elector->leading());
  EXPECT_TRUE(b.elector->leading());
  cluster.network.resume(a.path);
  cluster.network.run_for(12s);
  EXPECT_FALSE(a.elector->leading());
}

TEST_F(LeaderElectorTest, ALeaderWhoseRenewalHangsLeadsOnBesideTheNextUntilItSeesThatItLost) {
  cluster.network.run_for(20s);
  cluster.network.as(a.path, [&](Context& context) { a.elector->hang(context); });
  const SimTime hung = cluster.network.now();
  cluster.network.run_for(40s);
  EXPECT_TRUE(a.elector->leading()) << "nothing tells it";
  EXPECT_TRUE(b.elector->leading());
  EXPECT_GE(b.started, hung + 13s) << "15 s from the last renewal, up to 2 s old";
  EXPECT_LE(b.started, hung + 24s) << "seen up to 4.4 s late, tried for up to 4.4 s late";
  cluster.network.as(a.path, [&](Context& context) { a.elector->go_on(context); });
  cluster.network.run_for(1s);
  EXPECT_FALSE(a.elector->leading()) << "its deadline was over long ago";
  EXPECT_TRUE(b.elector->leading());
  EXPECT_EQ(a.stops, 1);
  EXPECT_EQ(lease().holder_identity(), b.path);
}

TEST_F(LeaderElectorTest, ARenewalThatHangsForLessThanTheDeadlineLosesNothing) {
  cluster.network.run_for(20s);
  cluster.network.as(a.path, [&](Context& context) { a.elector->hang(context); });
  cluster.network.run_for(6s);
  cluster.network.as(a.path, [&](Context& context) { a.elector->go_on(context); });
  cluster.network.run_for(60s);
  EXPECT_TRUE(a.elector->leading());
  EXPECT_EQ(a.stops + b.starts, 0);
}

TEST_F(LeaderElectorTest, ALeaderThatIsToldToShutDownGivesTheLeaseAwayIfItIsOneThatDoes) {
  for (const bool releases : {true, false}) {
    ApiCluster fresh;
    Candidate first(fresh, "controller/s/0", releases);
    Candidate second(fresh, "controller/s/1", releases);
    fresh.network.run_for(20s);
    ASSERT_TRUE(first.elector->leading());
    fresh.network.as(first.path, [&](Context& context) { first.elector->shut_down(context); });
    fresh.network.run_for(5s);
    EXPECT_FALSE(first.elector->leading());
    EXPECT_EQ(second.elector->leading(), releases);
    fresh.network.run_for(20s);
    EXPECT_TRUE(second.elector->leading());
  }
}

}  // namespace
}  // namespace troupe
