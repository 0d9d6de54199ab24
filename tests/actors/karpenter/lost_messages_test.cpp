// Karpenter when messages are lost or late: what a call did that nobody answered, and what a watch
// does not show yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/cloud/cloud_provider.h"
#include "actors/karpenter/karpenter_actor.h"
#include "messages/cloud.pb.h"
#include "messages/facts.pb.h"
#include "tests/actors/karpenter/fixtures.h"
#include "tests/support/api_cluster.h"

namespace troupe::karpenter {
namespace {

using namespace testing;
using ::testing::SizeIs;
using troupe::testing::ApiCluster;
using troupe::testing::Wire;

/// API server, cloud and Karpenter on wires that the test holds; no node ever boots.
class LostMessages : public ::testing::Test {
 protected:
  void begin() {
    hosts::KarpenterConfig config;
    add_type(config, "g8", 96, 512, 8);
    auto cloud = std::make_shared<hosts::CloudConfig>();
    *cloud->mutable_instance_types() = config.instance_types();
    cloud->mutable_launch()->set_a_ns(Duration(2s).count());
    cluster_.network.add("cloud/0", [cloud] {
      return std::make_unique<cloud::CloudProviderActor>(cloud, std::vector<Payload>{});
    });
    cluster_.network.add("controller/karpenter/0",
                         [config] { return std::make_unique<KarpenterActor>(config); });
    ASSERT_TRUE(cluster_.create(node_pool("gpu")).ok());
    cluster_.network.run_for(1s);
    k8s::Pod pod = pending_pod("p", {.gpus = 8});
    pod.mutable_metadata()->clear_uid();
    pod.mutable_metadata()->clear_owner_references();
    pod.mutable_spec()->mutable_containers(0)->set_image("image");
    auto& resources = *pod.mutable_spec()->mutable_containers(0)->mutable_resources();
    set_amount(*resources.mutable_limits(), "nvidia.com/gpu", Quantity::whole(8));
    ASSERT_TRUE(cluster_.create(pod).ok());
    ASSERT_TRUE(cluster_.update_status(pod).ok());
  }
  std::vector<std::shared_ptr<const NodeClaim>> claims() {
    std::vector<std::shared_ptr<const NodeClaim>> found;
    for (const Payload& item : cluster_.list({.kind = "NodeClaim"}).items) {
      found.push_back(item.share<NodeClaim>());
    }
    return found;
  }
  std::size_t launched() { return cluster_.network.facts_of<facts::InstanceLaunched>().size(); }

  ApiCluster cluster_;
};

TEST_F(LostMessages, ALaunchThatWasNotAnsweredIsRepeatedAndGivesTheSameInstance) {
  cluster_.network.lose = [lost = 0](const Wire& wire) mutable {
    return wire.what.as<cloud::LaunchInstanceReply>() != nullptr && lost++ == 0;
  };
  begin();
  cluster_.network.run_for(60s);
  EXPECT_EQ(cluster_.network.sent("LaunchInstance"), 2U);
  EXPECT_EQ(launched(), 1U);
  ASSERT_THAT(claims(), SizeIs(1));
  EXPECT_TRUE(condition_is(*claims()[0], kLaunched));
}

TEST_F(LostMessages, AConflictAfterALaunchLaunchesNothingAnew) {
  begin();
  cluster_.network.run_for(2s);
  ASSERT_THAT(claims(), SizeIs(1));
  ASSERT_FALSE(condition_is(*claims()[0], kLaunched));
  NodeClaim changed;
  changed.mutable_metadata()->set_name(claims()[0]->metadata().name());
  set_label(*changed.mutable_metadata()->mutable_annotations(), "example.com/note", "mine");
  ASSERT_TRUE(cluster_.patch(changed).ok());
  cluster_.network.run_for(10s);
  EXPECT_EQ(cluster_.network.sent("LaunchInstance"), 1U);
  EXPECT_TRUE(condition_is(*claims()[0], kLaunched));
}

TEST_F(LostMessages, AClaimWhoseCreationWasNotAnsweredIsNotCreatedAgain) {
  cluster_.network.lose = [lost = 0](const Wire& wire) mutable {
    const auto* reply = wire.what.as<api::ApiReply>();
    const bool creation = reply != nullptr && reply->code() == 201 &&
                          !wire.what.attachments().empty() &&
                          wire.what.attachments()[0].as<NodeClaim>() != nullptr;
    return creation && lost++ == 0;
  };
  begin();
  cluster_.network.run_for(60s);
  EXPECT_THAT(claims(), SizeIs(1));
  EXPECT_EQ(launched(), 1U);
}

TEST_F(LostMessages, AClaimThatTheWatchDoesNotShowYetIsCountedOn) {
  cluster_.network.latency = [](const Wire& wire) {
    const bool claim_seen = wire.what.as<api::WatchEvent>() != nullptr &&
                            !wire.what.attachments().empty() &&
                            wire.what.attachments()[0].as<NodeClaim>() != nullptr;
    return claim_seen ? Duration(25s) : Duration(1ms);
  };
  begin();
  cluster_.network.run_for(24s);
  EXPECT_THAT(claims(), SizeIs(1));
  EXPECT_EQ(launched(), 0U);
  cluster_.network.run_for(90s);
  EXPECT_THAT(claims(), SizeIs(1));
  EXPECT_EQ(launched(), 1U);
}

}  // namespace
}  // namespace troupe::karpenter
