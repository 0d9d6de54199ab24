#include "actors/cloud/cloud_provider.h"

#include <gtest/gtest.h>

#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"
#include "tests/actors/cloud/cloud_types.h"
#include "tests/support/fake_context.h"

namespace troupe::cloud {
namespace {

using std::chrono::seconds;
using testing::FakeContext;

constexpr std::string_view kKarpenter = "controller/karpenter/0";

class CloudProviderTest : public ::testing::Test {
 protected:
  template <class M>
  void send(M message) {
    cloud_.receive(context_, context_.deliver(Payload::of(std::move(message)), kKarpenter));
  }
  /// Launches and waits for the end of the call.
  Instance launch(LaunchInstance call) {
    send(std::move(call));
    context_.run_timers(cloud_, seconds(2));
    return context_.last_sent<LaunchInstanceReply>().as<LaunchInstanceReply>()->instance();
  }
  void terminate(const std::string& id) {
    TerminateInstance call;
    call.set_request_id(7);
    call.set_id(id);
    send(std::move(call));
  }
  std::size_t stops() const { return context_.sent_of<runtime::HostStop>().size(); }

  FakeContext context_{"cloud/0"};
  CloudProviderActor cloud_{std::make_shared<const hosts::CloudConfig>(small_cloud()),
                            {Payload::of(runtime::Restored{})}};
};

TEST_F(CloudProviderTest, AnswersALaunchWhenItsTimeIsOver) {
  send(call_for({"on-demand"}));
  context_.run_timers(cloud_, seconds(1));
  EXPECT_TRUE(context_.sent.empty());
  context_.run_timers(cloud_, seconds(1));
  const auto replies = context_.sent_of<LaunchInstanceReply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0]->error(), "");
  EXPECT_EQ(replies[0]->instance().state(), "running");
  EXPECT_EQ(replies[0]->instance().instance_type(), "g1");
  EXPECT_EQ(replies[0]->instance().node(), "n1");
}

TEST_F(CloudProviderTest, BootsTheNodesHostWithItsConfigurationAndWhatBelongsToIt) {
  const Instance instance = launch(call_for({"on-demand"}));
  const Payload start = context_.last_sent<runtime::HostStart>();
  ASSERT_TRUE(start);
  EXPECT_EQ(start.as<runtime::HostStart>()->path(), "node/n1");
  ASSERT_EQ(start.attachments().size(), 2u);
  EXPECT_EQ(start.attachments()[0].as<hosts::NodeConfig>()->instance(), instance.id());
}

TEST_F(CloudProviderTest, StatesTheInstanceWithItsPrice) {
  const Instance instance = launch(call_for({"spot"}));
  const auto facts = context_.facts_of<facts::InstanceLaunched>();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0]->instance(), instance.id());
  EXPECT_EQ(facts[0]->price_micro_usd_per_hour(), 3'000'000);
  EXPECT_EQ(facts[0]->gpus(), 1u);
}

TEST_F(CloudProviderTest, RefusesWhereEveryPoolIsDry) {
  for (const char* type : {"g1", "g8"}) send(capacity(type, "", "", 0));
  send(call_for({"spot", "on-demand"}));
  context_.run_timers(cloud_, seconds(2));
  const auto replies = context_.sent_of<LaunchInstanceReply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0]->error(), "InsufficientInstanceCapacity");
  EXPECT_EQ(replies[0]->errors_size(), 6);
  EXPECT_EQ(context_.facts_of<facts::LaunchFailed>().size(), 6u);
  EXPECT_TRUE(context_.facts_of<facts::InstanceLaunched>().empty());
}

TEST_F(CloudProviderTest, ReportsADryPoolBesideTheInstanceOfAnother) {
  send(capacity("g1", "a", "on-demand", 0));
  send(call_for({"on-demand"}));
  context_.run_timers(cloud_, seconds(2));
  const auto replies = context_.sent_of<LaunchInstanceReply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0]->instance().zone(), "b");
  ASSERT_EQ(replies[0]->errors_size(), 1);
  EXPECT_EQ(replies[0]->errors(0).zone(), "a");
}

TEST_F(CloudProviderTest, GivesARepeatedTokenTheSameInstance) {
  LaunchInstance call = call_for({"on-demand"});
  call.set_client_token("claim-1");
  const Instance first = launch(call);
  call.set_request_id(2);
  const Instance second = launch(call);
  EXPECT_EQ(first.id(), second.id());
  EXPECT_EQ(context_.facts_of<facts::InstanceLaunched>().size(), 1u);
}

TEST_F(CloudProviderTest, AnswersARepeatedTokenWhoseLaunchIsUnderWay) {
  LaunchInstance call = call_for({"on-demand"});
  call.set_client_token("claim-1");
  send(call);
  call.set_request_id(2);
  send(call);
  context_.run_timers(cloud_, seconds(2));
  EXPECT_EQ(context_.sent_of<LaunchInstanceReply>().size(), 2u);
  EXPECT_EQ(context_.sent_of<runtime::HostStart>().size(), 1u);
}

TEST_F(CloudProviderTest, LaunchesTwiceWithoutATokenUnderAnotherNodeName) {
  const Instance first = launch(call_for({"on-demand"}));
  const Instance second = launch(call_for({"on-demand"}));
  EXPECT_NE(first.id(), second.id());
  EXPECT_EQ(second.node(), "n1-2");
}

TEST_F(CloudProviderTest, StopsTheHostWhenATerminationIsOver) {
  const Instance instance = launch(call_for({"on-demand"}));
  terminate(instance.id());
  EXPECT_EQ(context_.sent_of<TerminateInstanceReply>()[0]->error(), "");
  context_.run_timers(cloud_, seconds(29));
  EXPECT_EQ(stops(), 0u);
  context_.run_timers(cloud_, seconds(1));
  EXPECT_EQ(stops(), 1u);
  const auto facts = context_.facts_of<facts::InstanceTerminated>();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0]->reason(), "deleted");
}

TEST_F(CloudProviderTest, SendsStartAndStopOfAHostInOneStream) {
  const Instance instance = launch(call_for({"on-demand"}));
  terminate(instance.id());
  context_.run_timers(cloud_, seconds(30));
  std::vector<std::uint64_t> streams;
  for (const auto& sent : context_.sent) {
    if (sent.via.link == Link::Lifecycle) streams.push_back(sent.via.stream);
  }
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_NE(streams[0], 0u);
  EXPECT_EQ(streams[0], streams[1]);
}

TEST_F(CloudProviderTest, DoesNotKnowAnInstanceThatIsGone) {
  const Instance instance = launch(call_for({"on-demand"}));
  terminate(instance.id());
  context_.run_timers(cloud_, seconds(30));
  terminate(instance.id());
  EXPECT_EQ(context_.sent_of<TerminateInstanceReply>().back()->error(),
            "InvalidInstanceID.NotFound");
}

TEST_F(CloudProviderTest, NeverBootsWhatWasTerminatedWhilePending) {
  LaunchInstance call = call_for({"on-demand"});
  send(call);
  DescribeInstances all;
  send(all);
  const std::string id = context_.sent_of<DescribeInstancesReply>()[0]->instances(0).id();
  terminate(id);
  context_.run_timers(cloud_, seconds(60));
  EXPECT_TRUE(context_.sent_of<runtime::HostStart>().empty());
  // Its launch is answered all the same, and its facts pair up.
  EXPECT_EQ(context_.sent_of<LaunchInstanceReply>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::InstanceLaunched>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::InstanceTerminated>().size(), 1u);
}

TEST_F(CloudProviderTest, DescribesTheInstancesAskedFor) {
  const Instance first = launch(call_for({"on-demand"}));
  launch(call_for({"spot"}));
  DescribeInstances one;
  one.add_ids(first.id());
  one.add_ids("cloud:///a/i-unknown");
  send(one);
  const auto replies = context_.sent_of<DescribeInstancesReply>();
  ASSERT_EQ(replies[0]->instances_size(), 1);
  EXPECT_EQ(replies[0]->instances(0).id(), first.id());
}

TEST_F(CloudProviderTest, TakesASpotInstanceBackTwoMinutesAfterItsNotice) {
  send(SubscribeInterruptions{});
  const Instance instance = launch(call_for({"spot"}));
  InterruptInstance what;
  what.set_node(instance.node());
  send(what);
  const auto notices = context_.sent_of<InterruptionNotice>();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0]->id(), instance.id());
  EXPECT_EQ(notices[0]->terminates_at_ns(), to_ns(context_.now() + seconds(120)));
  EXPECT_EQ(context_.facts_of<facts::InstanceInterrupted>().size(), 1u);
  context_.run_timers(cloud_, seconds(119));
  EXPECT_EQ(stops(), 0u);
  context_.run_timers(cloud_, seconds(1));
  EXPECT_EQ(stops(), 1u);
  EXPECT_EQ(context_.facts_of<facts::InstanceTerminated>()[0]->reason(), "interrupted");
}

TEST_F(CloudProviderTest, InterruptsAnInstanceOnce) {
  const Instance instance = launch(call_for({"spot"}));
  InterruptInstance what;
  what.set_id(instance.id());
  send(what);
  send(what);
  EXPECT_EQ(context_.facts_of<facts::InstanceInterrupted>().size(), 1u);
}

TEST_F(CloudProviderTest, KnowsItsInstancesAfterACrashOfItsHostAndEndsWhatItHadBegun) {
  send(SubscribeInterruptions{});
  const Instance kept = launch(call_for({"on-demand"}));
  const Instance victim = launch(call_for({"spot"}));
  InterruptInstance what;
  what.set_id(victim.id());
  send(what);
  runtime::Restored restored;
  for (const auto& [key, value] : context_.persisted) {
    auto& entry = *restored.add_entries();
    entry.set_key(key);
    entry.set_value(value);
  }
  FakeContext context("cloud/0");
  CloudProviderActor successor{std::make_shared<const hosts::CloudConfig>(small_cloud()), {}};
  successor.receive(context, context.deliver(Payload::of(std::move(restored)), "cloud/0"));
  DescribeInstances all;
  successor.receive(context, context.deliver(Payload::of(std::move(all)), kKarpenter));
  const auto replies = context.sent_of<DescribeInstancesReply>();
  ASSERT_EQ(replies[0]->instances_size(), 2);
  context.run_timers(successor, CloudProviderActor::kSpotNotice + seconds(10));
  const auto ended = context.facts_of<facts::InstanceTerminated>();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0]->instance(), victim.id());
  what.set_id(kept.id());
  successor.receive(context, context.deliver(Payload::of(std::move(what)), kKarpenter));
  EXPECT_FALSE(context.sent_of<InterruptionNotice>().empty()) << "who subscribed is still told";
}

TEST_F(CloudProviderTest, ReturnsCapacityOfWhatIsGone) {
  send(capacity("g1", "a", "on-demand", 1));
  const Instance first = launch(call_for({"on-demand"}));
  EXPECT_EQ(launch(call_for({"on-demand"})).zone(), "b");
  terminate(first.id());
  context_.run_timers(cloud_, seconds(30));
  EXPECT_EQ(launch(call_for({"on-demand"})).zone(), "a");
}

}  // namespace
}  // namespace troupe::cloud
