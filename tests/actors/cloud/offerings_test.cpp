#include "actors/cloud/offerings.h"

#include <gtest/gtest.h>

#include "tests/actors/cloud/cloud_types.h"

namespace troupe::cloud {
namespace {

class OfferingsTest : public ::testing::Test {
 protected:
  /// "g1/a/spot", or "" where nothing was chosen.
  std::string chosen(const LaunchInstance& call) const {
    const Offerings::Choice choice = offerings_.choose(call);
    return choice.pool ? name(*choice.pool) : "";
  }
  std::string name(std::size_t index) const {
    const Pool& pool = offerings_.at(index);
    return pool.type->name() + "/" + pool.zone + "/" + pool.capacity_type;
  }

  hosts::CloudConfig config_ = small_cloud();
  Offerings offerings_{config_.instance_types()};
};

TEST_F(OfferingsTest, TakesTheCheapestOnDemandPool) {
  EXPECT_EQ(chosen(call_for({"on-demand"})), "g1/a/on-demand");
}

TEST_F(OfferingsTest, TriesCapacityTypesInTheOrderOfTheCall) {
  EXPECT_EQ(chosen(call_for({"on-demand", "spot"})), "g1/a/on-demand");
  EXPECT_EQ(chosen(call_for({"spot", "on-demand"})), "g1/a/spot");
}

TEST_F(OfferingsTest, HonoursAllowedTypesAndZones) {
  LaunchInstance call = call_for({"on-demand"});
  call.add_instance_types("g8");
  EXPECT_EQ(chosen(call), "g8/a/on-demand");
  LaunchInstance elsewhere = call_for({"on-demand"});
  elsewhere.add_zones("b");
  EXPECT_EQ(chosen(elsewhere), "g1/b/on-demand");
}

TEST_F(OfferingsTest, FallsThroughADryPoolAndReportsIt) {
  offerings_.set_capacity(capacity("g1", "a", "on-demand", 0));
  const Offerings::Choice choice = offerings_.choose(call_for({"on-demand"}));
  ASSERT_TRUE(choice.pool);
  EXPECT_EQ(name(*choice.pool), "g1/b/on-demand");
  ASSERT_EQ(choice.dry.size(), 1u);
  EXPECT_EQ(name(choice.dry[0]), "g1/a/on-demand");
}

TEST_F(OfferingsTest, DoesNotReportADryPoolThatItHadNoReasonToAsk) {
  offerings_.set_capacity(capacity("g8", "a", "on-demand", 0));
  EXPECT_TRUE(offerings_.choose(call_for({"on-demand"})).dry.empty());
}

TEST_F(OfferingsTest, SaysThatEveryAllowedPoolIsDry) {
  offerings_.set_capacity(capacity("g1", "", "spot", 0));
  LaunchInstance call = call_for({"spot"});
  call.add_instance_types("g1");
  const Offerings::Choice choice = offerings_.choose(call);
  EXPECT_FALSE(choice.pool);
  EXPECT_TRUE(choice.any_allowed);
  EXPECT_EQ(choice.dry.size(), 2u);
}

TEST_F(OfferingsTest, SaysThatNothingIsAllowed) {
  LaunchInstance call = call_for({"on-demand"});
  call.add_instance_types("m7i.large");
  EXPECT_FALSE(offerings_.choose(call).any_allowed);
}

TEST_F(OfferingsTest, PrefersADeepSpotPoolToACheaperShallowOne) {
  offerings_.set_capacity(capacity("g1", "a", "spot", 2));
  EXPECT_EQ(chosen(call_for({"spot"})), "g1/b/spot");
}

TEST_F(OfferingsTest, TreatsTenFreeInstancesAsDeep) {
  offerings_.set_capacity(capacity("g1", "a", "spot", Offerings::kDeep));
  EXPECT_EQ(chosen(call_for({"spot"})), "g1/a/spot");
}

TEST_F(OfferingsTest, IgnoresDepthForOnDemand) {
  offerings_.set_capacity(capacity("g1", "a", "on-demand", 1));
  EXPECT_EQ(chosen(call_for({"on-demand"})), "g1/a/on-demand");
}

TEST_F(OfferingsTest, RunsDryAndIsRefilledByWhatComesBack) {
  offerings_.set_capacity(capacity("g1", "a", "on-demand", 1));
  const std::size_t pool = *offerings_.choose(call_for({"on-demand"})).pool;
  offerings_.take(pool);
  EXPECT_EQ(chosen(call_for({"on-demand"})), "g1/b/on-demand");
  offerings_.give_back(pool);
  EXPECT_EQ(chosen(call_for({"on-demand"})), "g1/a/on-demand");
}

TEST_F(OfferingsTest, StaysDryWhereAFaultTookTheCapacityAway) {
  const std::size_t pool = *offerings_.choose(call_for({"on-demand"})).pool;
  offerings_.take(pool);
  offerings_.set_capacity(capacity("g1", "a", "on-demand", 0));
  offerings_.give_back(pool);
  EXPECT_TRUE(offerings_.at(pool).dry());
}

}  // namespace
}  // namespace troupe::cloud
