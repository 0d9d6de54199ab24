// What faults of the network do to messages, stream by stream.
#include "emulator/runtime/link_faults.h"

#include <limits>

#include <gtest/gtest.h>

#include "messages/cloud.pb.h"
#include "tests/emulator/runtime/scripted.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kAllLinks = 63;
constexpr std::uint32_t kCertain = 1'000'000;

fault::LinkRule rule_of(fault::LinkRule::Effect effect, std::uint32_t ppm = kCertain) {
  fault::LinkRule rule;
  rule.set_effect(effect);
  rule.set_probability_ppm(ppm);
  rule.set_links(kAllLinks);
  rule.add_from(address_of("node/a").host);
  rule.add_to(address_of("apiserver/0").host);
  rule.add_begin_ns(0);
  rule.add_end_ns(seconds(60) / std::chrono::nanoseconds(1));
  return rule;
}

class LinkFaultsTest : public testing::Test {
 protected:
  LinkFate judge(const fault::LinkRule& rule, Link link, std::uint64_t version = 1,
                 const char* to = "apiserver/0", const Payload& what = test::note(1)) {
    const LinkFaults faults(
        7, {rule},
        {address_of("node/a").host, address_of("apiserver/0").host, address_of("cloud/0").host});
    const SimTime sent = from_ns(0) + at_;
    return faults.judge(cell_, {link,
                                address_of(to).host,
                                sent,
                                sent + milliseconds(1),
                                {cell_.id, address_of(to).actor, what.kind(), 0, version}});
  }
  /// How much later than without the fault.
  Duration delay(const LinkFate& fate) const {
    return fate.due - from_ns(0) - at_ - milliseconds(1);
  }

  Duration at_ = seconds(10);
  Host host_{.name = "node/a"};
  Cell cell_{host_, "node/a", address_of("node/a"), nullptr};
};

TEST_F(LinkFaultsTest, ADelayOnlyAdds) {
  fault::LinkRule rule = rule_of(fault::LinkRule::DELAY);
  rule.mutable_delay()->set_a_ns(milliseconds(300) / std::chrono::nanoseconds(1));
  EXPECT_EQ(delay(judge(rule, Link::Watch)), milliseconds(300));
  EXPECT_EQ(delay(judge(rule, Link::Api)), milliseconds(300));
}

TEST_F(LinkFaultsTest, NothingHappensOutsideOfTheWindowOrBetweenOthers) {
  fault::LinkRule rule = rule_of(fault::LinkRule::PARTITION);
  at_ = seconds(60);
  EXPECT_EQ(delay(judge(rule, Link::Api)), Duration::zero());
  at_ = seconds(10);
  EXPECT_EQ(delay(judge(rule, Link::Api, 1, "cloud/0")), Duration::zero());
  rule.set_links(1U << static_cast<unsigned>(Link::Scrape));
  EXPECT_EQ(delay(judge(rule, Link::Api)), Duration::zero());
}

TEST_F(LinkFaultsTest, APartitionLosesCallsAndKeepsWatchesUntilItEnds) {
  const fault::LinkRule rule = rule_of(fault::LinkRule::PARTITION);
  EXPECT_TRUE(judge(rule, Link::Api).lost);
  EXPECT_TRUE(judge(rule, Link::Scrape).lost);
  for (const Link link : {Link::Watch, Link::DataPlane}) {
    const LinkFate fate = judge(rule, link);
    EXPECT_FALSE(fate.lost);
    EXPECT_GE(fate.due, from_ns(0) + seconds(60));
  }
}

TEST_F(LinkFaultsTest, AShortPartitionIsARetransmission) {
  at_ = milliseconds(59'900);
  const LinkFate fate = judge(rule_of(fault::LinkRule::PARTITION), Link::Api);
  EXPECT_FALSE(fate.lost);
  EXPECT_EQ(delay(fate), milliseconds(200));
}

TEST_F(LinkFaultsTest, APartitionWithoutEndKeepsNothingForLater) {
  fault::LinkRule rule = rule_of(fault::LinkRule::PARTITION);
  rule.set_end_ns(0, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(judge(rule, Link::Watch).lost);
}

TEST_F(LinkFaultsTest, WhatIsLostOnTheWayIsSentAgainAfterTheTimeoutThatDoubles) {
  const fault::LinkRule rule = rule_of(fault::LinkRule::LOSS, 500'000);
  int late = 0;
  for (std::uint64_t version = 0; version < 200; ++version) {
    const LinkFate fate = judge(rule, Link::Watch, version);
    EXPECT_FALSE(fate.lost);
    // 200 ms, 600 ms, 1.4 s, ...: sums of a doubling timeout
    EXPECT_EQ((delay(fate) / milliseconds(200) + 1) & (delay(fate) / milliseconds(200)), 0);
    if (delay(fate) > Duration::zero()) ++late;
  }
  EXPECT_GT(late, 60);
  EXPECT_LT(late, 140);
}

TEST_F(LinkFaultsTest, OnlyTheInterruptionQueueDeliversTwice) {
  const fault::LinkRule rule = rule_of(fault::LinkRule::DUPLICATE);
  const Payload notice = Payload::of(cloud::InterruptionNotice{});
  EXPECT_TRUE(judge(rule, Link::Cloud, 1, "apiserver/0", notice).again.has_value());
  for (const Link link : {Link::Api, Link::Watch, Link::Cloud, Link::DataPlane, Link::Scrape}) {
    EXPECT_FALSE(judge(rule, link).again.has_value()) << name_of(link);
  }
}

TEST_F(LinkFaultsTest, AnInterruptionNoticeIsNeverLost) {
  const Payload notice = Payload::of(cloud::InterruptionNotice{});
  EXPECT_FALSE(
      judge(rule_of(fault::LinkRule::PARTITION), Link::Cloud, 1, "apiserver/0", notice).lost);
  EXPECT_TRUE(judge(rule_of(fault::LinkRule::PARTITION), Link::Cloud).lost);
}

TEST_F(LinkFaultsTest, TheBirthOfAHostIsNoMessageOfTheNetwork) {
  EXPECT_EQ(delay(judge(rule_of(fault::LinkRule::PARTITION), Link::Lifecycle)), Duration::zero());
}

TEST_F(LinkFaultsTest, TheFirstMessagesPassWhereTheRuleSaysSo) {
  fault::LinkRule rule = rule_of(fault::LinkRule::PARTITION);
  rule.set_after(2);
  EXPECT_FALSE(judge(rule, Link::Api).lost);
  EXPECT_FALSE(judge(rule, Link::Api).lost);
  EXPECT_TRUE(judge(rule, Link::Api).lost);
}

TEST_F(LinkFaultsTest, AHostThatThePlanDoesNotListIsALaunchedNode) {
  fault::LinkRule rule = rule_of(fault::LinkRule::PARTITION);
  rule.set_to_launched(true);
  EXPECT_TRUE(judge(rule, Link::Api, 1, "node/launched").lost);
  EXPECT_FALSE(judge(rule, Link::Api, 1, "cloud/0").lost);
}

TEST_F(LinkFaultsTest, ARuleThatAConditionOpenedHoldsForThatSender) {
  fault::LinkRule rule = rule_of(fault::LinkRule::PARTITION);
  rule.clear_begin_ns();
  rule.clear_end_ns();
  EXPECT_FALSE(judge(rule, Link::Api).lost);
  host_.open_links[0] = from_ns(0) + seconds(50);
  EXPECT_TRUE(judge(rule, Link::Api).lost);
}

}  // namespace
}  // namespace troupe
