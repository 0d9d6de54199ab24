// An API server in trouble, as its clients see it.
#include <gtest/gtest.h>

#include "actors/api_client/informer.h"
#include "messages/fault.pb.h"
#include "tests/support/api_cluster.h"

namespace troupe::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ApiServerFaults : public ::testing::Test {
 protected:
  ApiServerFaults() {
    cluster_.network.as(ApiCluster::kClient, [this](Context& context) { pods_.start(context); });
    cluster_.network.run_for(seconds(1));
  }
  template <class M>
  void tell(M message) {
    cluster_.network.as(ApiCluster::kClient, [&](Context& context) {
      context.send(address_of("apiserver/0"), Payload::of(std::move(message)), {});
    });
    cluster_.network.run_for(milliseconds(100));
  }

  ApiCluster cluster_;
  Informer<k8s::Pod> pods_{cluster_.client().api};
};

TEST_F(ApiServerFaults, ADroppedWatchIsResumedAndMissesNothing) {
  ASSERT_TRUE(cluster_.create(pod("prod", "a")).ok());
  cluster_.network.run_for(seconds(1));
  tell(fault::EndWatches{});
  ASSERT_TRUE(cluster_.create(pod("prod", "b")).ok());
  cluster_.network.run_for(seconds(5));
  EXPECT_EQ(pods_.cache().size(), 2u);
}

TEST_F(ApiServerFaults, AnExpiredWatchListsAgain) {
  ASSERT_TRUE(cluster_.create(pod("prod", "a")).ok());
  fault::EndWatches end;
  end.set_kind("Pod");
  end.set_expire(true);
  tell(end);
  ASSERT_TRUE(cluster_.create(pod("prod", "b")).ok());
  cluster_.network.run_for(seconds(5));
  EXPECT_EQ(pods_.cache().size(), 2u);
}

TEST_F(ApiServerFaults, ALaggingCacheShowsTheWorldLateAndCatchesUp) {
  ASSERT_TRUE(cluster_.create(pod("prod", "early")).ok());
  fault::LagCache lag;
  lag.set_lag_ns(20'000'000'000);
  tell(lag);
  ASSERT_TRUE(cluster_.create(pod("prod", "a")).ok());
  cluster_.network.run_for(seconds(10));
  EXPECT_EQ(pods_.cache().size(), 1u);
  EXPECT_NE(cluster_.stored<k8s::Pod>("prod/a"), nullptr);  // a get reads the store
  tell(fault::LagCache{});
  cluster_.network.run_for(seconds(1));
  EXPECT_EQ(pods_.cache().size(), 2u);
}

TEST_F(ApiServerFaults, ALateRequestIsAppliedWhenItsTimeComes) {
  fault::DisturbRequests slow;
  slow.set_id(1);
  slow.set_effect(fault::DisturbRequests::DELAY);
  slow.set_delay_ns(3'000'000'000);
  slow.set_probability_ppm(1'000'000);
  tell(slow);
  const SimTime before = cluster_.network.now();
  EXPECT_TRUE(cluster_.create(pod("prod", "a")).ok());
  EXPECT_GE(cluster_.network.now() - before, seconds(3));
}

TEST_F(ApiServerFaults, AnUnavailableOneAnswersWith503AndAppliesNothing) {
  fault::DisturbRequests down;
  down.set_id(1);
  down.set_effect(fault::DisturbRequests::UNAVAILABLE);
  down.set_probability_ppm(1'000'000);
  tell(down);
  EXPECT_EQ(cluster_.create(pod("prod", "a")).code, 503);
  down.set_heal(true);
  tell(down);
  EXPECT_EQ(cluster_.stored<k8s::Pod>("prod/a"), nullptr);
}

}  // namespace
}  // namespace troupe::testing
