#include "actors/api_server/disturbances.h"

#include <gtest/gtest.h>

#include "tests/support/fake_context.h"

namespace troupe::apiserver {
namespace {

using std::chrono::seconds;

fault::DisturbRequests disturb(fault::DisturbRequests::Effect effect) {
  fault::DisturbRequests spec;
  spec.set_id(1);
  spec.set_effect(effect);
  spec.set_probability_ppm(1'000'000);
  return spec;
}

class DisturbancesTest : public ::testing::Test {
 protected:
  Disturbances::Verdict judge(const std::string& verb, const std::string& kind,
                              std::uint64_t identity = 1) {
    return disturbances_.judge(context_, {verb, kind, "default", "x", identity});
  }

  testing::FakeContext context_{"apiserver/0"};
  Disturbances disturbances_;
};

TEST_F(DisturbancesTest, ConcernsTheVerbsAndKindsThatItNames) {
  fault::DisturbRequests spec = disturb(fault::DisturbRequests::UNAVAILABLE);
  spec.add_verbs("create");
  spec.add_kinds("Pod");
  disturbances_.change(spec);
  EXPECT_EQ(judge("create", "Pod").refusal.code, 503);
  EXPECT_EQ(judge("create", "Node").refusal.code, 0);
  EXPECT_EQ(judge("get", "Pod").refusal.code, 0);
}

TEST_F(DisturbancesTest, DelaysAddUp) {
  fault::DisturbRequests spec = disturb(fault::DisturbRequests::DELAY);
  spec.set_delay_ns(2'000'000'000);
  disturbances_.change(spec);
  spec.set_id(2);
  disturbances_.change(spec);
  EXPECT_EQ(judge("get", "Pod").delay, seconds(4));
}

TEST_F(DisturbancesTest, ThrottlingSaysWhenToTryAgain) {
  fault::DisturbRequests spec = disturb(fault::DisturbRequests::THROTTLE);
  spec.set_retry_after_ns(1'500'000'000);
  disturbances_.change(spec);
  const Status status = judge("list", "Pod").refusal;
  EXPECT_EQ(status.code, 429);
  EXPECT_EQ(status.retry_after_seconds, 2);
}

TEST_F(DisturbancesTest, AWebhookIsAskedOfWritesUnlessItSaysOtherwise) {
  disturbances_.change(disturb(fault::DisturbRequests::REFUSE));
  EXPECT_EQ(judge("create", "Pod").refusal.code, 403);
  EXPECT_EQ(judge("list", "Pod").refusal.code, 0);
  EXPECT_EQ(judge("bind", "Pod").refusal.code, 0);
}

TEST_F(DisturbancesTest, TheFirstOnesPassWhereItSaysSo) {
  fault::DisturbRequests spec = disturb(fault::DisturbRequests::UNAVAILABLE);
  spec.set_after(2);
  disturbances_.change(spec);
  EXPECT_EQ(judge("get", "Pod").refusal.code, 0);
  EXPECT_EQ(judge("get", "Pod").refusal.code, 0);
  EXPECT_EQ(judge("get", "Pod").refusal.code, 503);
}

TEST_F(DisturbancesTest, ChanceIsOfTheRequestAndNotOfHowManyCameBefore) {
  fault::DisturbRequests spec = disturb(fault::DisturbRequests::UNAVAILABLE);
  spec.set_probability_ppm(500'000);
  disturbances_.change(spec);
  int refused = 0;
  for (std::uint64_t identity = 0; identity < 200; ++identity) {
    const int code = judge("get", "Pod", identity).refusal.code;
    EXPECT_EQ(code, judge("get", "Pod", identity).refusal.code);
    if (code != 0) ++refused;
  }
  EXPECT_GT(refused, 60);
  EXPECT_LT(refused, 140);
}

TEST_F(DisturbancesTest, IsOverWhenItIsHealed) {
  fault::DisturbRequests spec = disturb(fault::DisturbRequests::UNAVAILABLE);
  disturbances_.change(spec);
  spec.set_heal(true);
  disturbances_.change(spec);
  EXPECT_TRUE(disturbances_.none());
}

}  // namespace
}  // namespace troupe::apiserver
