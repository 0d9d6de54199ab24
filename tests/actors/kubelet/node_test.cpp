// The node's own life: boot, registration, readiness, devices, heartbeat.

#include <gmock/gmock.h>

#include "messages/facts.pb.h"
#include "tests/actors/kubelet/node_harness.h"

namespace troupe::kubelet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::SizeIs;

void set_seconds(Distribution* distribution, std::int64_t s) {
  distribution->set_a_ns(s * 1'000'000'000);
}

/// Boots in 25 s, has its network after 8 s more and its GPUs 15 s after that.
hosts::NodeConfig slow_node() {
  hosts::NodeConfig config = small_node();
  config.set_instance("cloud:///a/i-1");
  set_seconds(config.mutable_boot(), 25);
  set_seconds(config.mutable_network_ready(), 8);
  set_seconds(config.mutable_device_plugin(), 15);
  return config;
}

bool exists(const NodeHarness& harness) {
  return std::any_of(harness.requests().begin(), harness.requests().end(), [](const auto& request) {
    return request.what.verb() == api::CREATE && request.what.key().kind() == "Node";
  });
}

bool node_ready(const NodeHarness& harness) {
  return is_true(harness.node().status().conditions(), "Ready");
}

TEST(Node, ThatIsThereRegistersReadyWithItsGpus) {
  NodeHarness harness(small_node());
  harness.start();
  EXPECT_TRUE(node_ready(harness));
  EXPECT_EQ(harness.allocatable_gpus(), "2");
  EXPECT_EQ(harness.node().spec().provider_id(), "troupe://n1");
  EXPECT_THAT(harness.facts<facts::NodeReady>(), SizeIs(1));
  EXPECT_THAT(harness.facts<facts::GpuAllocatable>(), SizeIs(2));
}

TEST(Node, ThatTheTopologyListsStatesItsInstance) {
  hosts::NodeConfig config = small_node();
  config.set_price_micro_usd_per_hour(5'000'000);
  NodeHarness harness(config);
  harness.start();
  const auto launched = harness.facts<facts::InstanceLaunched>();
  ASSERT_THAT(launched, SizeIs(1));
  EXPECT_EQ(launched[0]->node(), "n1");
  EXPECT_EQ(launched[0]->gpus(), 2u);
  EXPECT_EQ(launched[0]->price_micro_usd_per_hour(), 5'000'000);
}

TEST(Node, OfTheCloudLeavesItsInstanceToTheCloud) {
  NodeHarness harness(slow_node());
  harness.start();
  EXPECT_THAT(harness.facts<facts::InstanceLaunched>(), SizeIs(0));
}

TEST(Node, RegistersWhenItHasBooted) {
  NodeHarness harness(slow_node());
  harness.start();
  harness.run(seconds(24));
  EXPECT_FALSE(exists(harness));
  harness.run(seconds(1));
  ASSERT_TRUE(exists(harness));
  EXPECT_FALSE(node_ready(harness));
  EXPECT_EQ(find_condition(harness.node().status().conditions(), "Ready")->reason(),
            "KubeletNotReady");
}

TEST(Node, BecomesReadyAtOnceWhenItsNetworkIs) {
  NodeHarness harness(slow_node());
  harness.start();
  harness.run(seconds(33));
  EXPECT_TRUE(node_ready(harness));
  EXPECT_THAT(harness.facts<facts::NodeReady>(), SizeIs(1));
}

TEST(Node, OffersNoGpuUntilTheDevicePluginHasRegistered) {
  NodeHarness harness(slow_node());
  harness.start();
  harness.run(seconds(47));
  EXPECT_TRUE(node_ready(harness));
  EXPECT_EQ(harness.allocatable_gpus(), "0");
  EXPECT_THAT(harness.facts<facts::GpuAllocatable>(), SizeIs(0));
  harness.run(seconds(11));  // registered at 48 s, written at the next tick
  EXPECT_EQ(harness.allocatable_gpus(), "2");
  EXPECT_THAT(harness.facts<facts::GpuAllocatable>(), SizeIs(2));
}

TEST(Node, CarriesLabelsAndTaintsOfItsConfiguration) {
  hosts::NodeConfig config = small_node();
  config.set_instance_type("p5.48xlarge");
  config.set_zone("us-east-1a");
  auto* label = config.add_labels();
  label->set_key("karpenter.sh/nodepool");
  label->set_value("gpu");
  auto* taint = config.add_taints();
  taint->set_key("karpenter.sh/unregistered");
  taint->set_effect("NoExecute");
  NodeHarness harness(config);
  harness.start();
  const auto& labels = harness.node().metadata().labels();
  EXPECT_EQ(label_or(labels, "karpenter.sh/nodepool"), "gpu");
  EXPECT_EQ(label_or(labels, "kubernetes.io/hostname"), "n1");
  EXPECT_EQ(label_or(labels, "node.kubernetes.io/instance-type"), "p5.48xlarge");
  EXPECT_EQ(label_or(labels, "topology.kubernetes.io/zone"), "us-east-1a");
  EXPECT_EQ(label_or(labels, "nvidia.com/gpu.product"), "H100");
  ASSERT_EQ(harness.node().spec().taints_size(), 1);
  EXPECT_EQ(harness.node().spec().taints(0).key(), "karpenter.sh/unregistered");
}

TEST(Node, KeepsReservedResourcesOutOfItsAllocatable) {
  hosts::NodeConfig config = small_node();
  config.set_cpu_reserved_milli(500);
  config.set_memory_reserved_bytes(4LL << 30);
  NodeHarness harness(config);
  harness.start();
  const auto& status = harness.node().status();
  EXPECT_EQ(amount_of(status.capacity(), "cpu").to_string(), "16");
  EXPECT_EQ(amount_of(status.allocatable(), "cpu").to_string(), "15500m");
  EXPECT_EQ(amount_of(status.allocatable(), "memory").to_string(), "60Gi");
}

TEST(Node, TriesAgainWhenItsRegistrationFails) {
  NodeHarness harness(small_node());
  harness.fail_next = 3;
  harness.start();
  harness.run(seconds(1));  // after 0.1, 0.2 and 0.4 s
  EXPECT_TRUE(node_ready(harness));
}

TEST(Node, RenewsItsLeaseEveryTenSeconds) {
  NodeHarness harness(small_node());
  harness.start();
  harness.run(seconds(100));
  EXPECT_THAT(harness.outbox<api::RenewNodeLease>(), SizeIs(10));
}

TEST(Node, WritesNothingWhileNothingChangesButEveryFiveMinutes) {
  NodeHarness harness(small_node());
  harness.start();
  harness.run(minutes(5) - seconds(1));
  EXPECT_EQ(harness.status_writes("n1"), 0u);
  harness.run(seconds(12));
  EXPECT_EQ(harness.status_writes("n1"), 1u);
  harness.run(minutes(10));
  EXPECT_LE(harness.status_writes("n1"), 3u);
}

TEST(Node, SaysThatItIsReadyWhenItWasGivenUp) {
  NodeHarness harness(small_node());
  harness.start();
  harness.run(seconds(1));
  harness.change<k8s::Node>("n1", [&](k8s::Node& node) {
    set_condition(*node.mutable_status()->mutable_conditions(),
                  {"Ready", "Unknown", "NodeStatusUnknown"}, harness.now());
  });
  harness.run(seconds(10));
  EXPECT_TRUE(node_ready(harness));
}

TEST(Node, LowersItsAllocatableWhenAGpuFails) {
  NodeHarness harness(small_node());
  harness.start();
  workload::FailGpu fault;
  fault.set_xid(79);
  harness.tell("node/n1/gpu/1", fault);
  harness.run(seconds(10));
  EXPECT_EQ(harness.allocatable_gpus(), "1");
  EXPECT_EQ(amount_of(harness.node().status().capacity(), "nvidia.com/gpu").to_string(), "2");
  harness.tell("node/n1/gpu/1", workload::RepairGpu{});
  harness.run(seconds(10));
  EXPECT_EQ(harness.allocatable_gpus(), "2");
  EXPECT_THAT(harness.facts<facts::GpuAllocatable>(), SizeIs(3));
}

TEST(Node, SpawnsItsGpusAndAgents) {
  class Nobody final : public Actor {
   public:
    void receive(Context&, const Delivery&) override {}
  };
  class Agents final : public NodeAgents {
   public:
    std::vector<NodeAgent> make(const hosts::NodeConfig&) const override {
      std::vector<NodeAgent> agents;
      agents.push_back({"dcgm-exporter", std::make_unique<Nobody>()});
      return agents;
    }
  };
  const Agents agents;
  NodeHarness harness(small_node(), {.agents = &agents});
  harness.start();
  EXPECT_TRUE(harness.alive("node/n1/gpu/0"));
  EXPECT_TRUE(harness.alive("node/n1/gpu/1"));
  EXPECT_TRUE(harness.alive("node/n1/dcgm-exporter"));
}

}  // namespace
}  // namespace troupe::kubelet
