// What befalls launches.
#include <gtest/gtest.h>

#include "actors/cloud/cloud_provider.h"
#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"
#include "tests/actors/cloud/cloud_types.h"
#include "tests/support/fake_context.h"

namespace troupe::cloud {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class LaunchFaultsTest : public ::testing::Test {
 protected:
  template <class M>
  void send(M message) {
    cloud_.receive(context_,
                   context_.deliver(Payload::of(std::move(message)), "controller/karpenter/0"));
  }
  fault::DisturbLaunches disturb(fault::DisturbLaunches::Effect effect) {
    fault::DisturbLaunches spec;
    spec.set_id(1);
    spec.set_effect(effect);
    spec.set_probability_ppm(1'000'000);
    return spec;
  }
  LaunchInstanceReply launch(std::uint64_t request = 1) {
    LaunchInstance call = call_for({"on-demand"});
    call.set_request_id(request);
    call.set_node("n" + std::to_string(request));
    send(std::move(call));
    context_.run_timers(cloud_, seconds(2));
    return *context_.last_sent<LaunchInstanceReply>().as<LaunchInstanceReply>();
  }

  testing::FakeContext context_{"cloud/0"};
  CloudProviderActor cloud_{std::make_shared<const hosts::CloudConfig>(small_cloud()), {}};
};

TEST_F(LaunchFaultsTest, APoolWithoutCapacityIsPassedOver) {
  fault::DisturbLaunches spec = disturb(fault::DisturbLaunches::NO_CAPACITY);
  spec.set_zone("a");
  send(spec);
  const LaunchInstanceReply reply = launch();
  EXPECT_EQ(reply.instance().zone(), "b");
  EXPECT_EQ(reply.errors(0).code(), "InsufficientInstanceCapacity");
  spec.set_heal(true);
  send(spec);
  EXPECT_EQ(launch(2).instance().zone(), "a");
}

TEST_F(LaunchFaultsTest, WithoutAnyCapacityTheCallFails) {
  send(disturb(fault::DisturbLaunches::NO_CAPACITY));
  EXPECT_EQ(launch().error(), "InsufficientInstanceCapacity");
}

TEST_F(LaunchFaultsTest, TheFirstLaunchesPassWhereItSaysSo) {
  fault::DisturbLaunches spec = disturb(fault::DisturbLaunches::NEVER_REGISTERS);
  spec.set_after(1);
  send(spec);
  launch(1);
  launch(2);
  EXPECT_EQ(context_.sent_of<runtime::HostStart>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::InstanceLaunched>().size(), 2u);
}

TEST_F(LaunchFaultsTest, AnInstanceThatFailsOnLaunchIsTerminatedByTheCloud) {
  send(disturb(fault::DisturbLaunches::FAILED_BOOT));
  launch();
  EXPECT_TRUE(context_.sent_of<runtime::HostStart>().empty());
  context_.run_timers(cloud_, seconds(30));
  ASSERT_EQ(context_.facts_of<facts::InstanceTerminated>().size(), 1u);
  EXPECT_EQ(context_.facts_of<facts::InstanceTerminated>()[0]->reason(), "failed");
}

TEST_F(LaunchFaultsTest, ASlowBootBeginsTheNodeLater) {
  fault::DisturbLaunches spec = disturb(fault::DisturbLaunches::SLOW_BOOT);
  spec.set_delay_ns(480'000'000'000);
  send(spec);
  launch();
  for (const auto& sent : context_.sent) {
    if (sent.what.as<runtime::HostStart>() == nullptr) continue;
    EXPECT_EQ(sent.via.extra, minutes(8));
  }
}

TEST_F(LaunchFaultsTest, ALateDevicePluginIsPartOfTheNodesConfiguration) {
  fault::DisturbLaunches spec = disturb(fault::DisturbLaunches::LATE_DEVICE_PLUGIN);
  spec.set_delay_ns(300'000'000'000);
  send(spec);
  launch();
  const Payload start = context_.last_sent<runtime::HostStart>();
  EXPECT_EQ(start.attachments()[0].as<hosts::NodeConfig>()->device_plugin().a_ns(),
            300'000'000'000);
}

TEST_F(LaunchFaultsTest, AReclaimHasItsOwnNotice) {
  launch();
  fault::Reclaim reclaim;
  reclaim.set_node("n1");
  reclaim.set_notice_ns(30'000'000'000);
  send(reclaim);
  EXPECT_EQ(context_.facts_of<facts::InstanceInterrupted>()[0]->notice_ns(), 30'000'000'000);
  context_.run_timers(cloud_, seconds(30));
  EXPECT_EQ(context_.facts_of<facts::InstanceTerminated>()[0]->reason(), "interrupted");
}

}  // namespace
}  // namespace troupe::cloud
