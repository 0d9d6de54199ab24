#include "actors/cloud/node_template.h"

#include <gtest/gtest.h>

#include "tests/actors/cloud/cloud_types.h"

namespace troupe::cloud {
namespace {

hosts::NodeConfig node_of(const hosts::NodeConfig& base, const LaunchInstance& call) {
  static const hosts::CloudConfig config = [] {
    hosts::CloudConfig cloud = small_cloud();
    auto* label = cloud.mutable_instance_types(0)->add_labels();
    label->set_key("team");
    label->set_value("type");
    return cloud;
  }();
  const Offerings offerings(config.instance_types());
  return node_config_of(base, offerings.at(0), call, {"cloud:///a/i-1", "n1"});
}

std::string label_of(const hosts::NodeConfig& node, const std::string& key) {
  for (const auto& label : node.labels()) {
    if (label.key() == key) return label.value();
  }
  return "";
}

TEST(NodeTemplate, TakesTheMachineFromTheTypeAndThePriceFromThePool) {
  const hosts::NodeConfig node = node_of({}, call_for({"on-demand"}));
  EXPECT_EQ(node.name(), "n1");
  EXPECT_EQ(node.instance(), "cloud:///a/i-1");
  EXPECT_EQ(node.gpus(), 1u);
  EXPECT_EQ(node.gpu_model(), "H100");
  EXPECT_EQ(node.cpu_milli(), 16'000);
  EXPECT_EQ(node.zone(), "a");
  EXPECT_EQ(node.capacity_type(), "on-demand");
  EXPECT_EQ(node.price_micro_usd_per_hour(), 7'000'000);
}

TEST(NodeTemplate, KeepsWhatOnlyTheBaseSays) {
  hosts::NodeConfig base;
  base.set_image_bandwidth_bytes_per_s(123);
  base.mutable_boot()->set_a_ns(5);
  const hosts::NodeConfig node = node_of(base, call_for({"on-demand"}));
  EXPECT_EQ(node.image_bandwidth_bytes_per_s(), 123);
  EXPECT_EQ(node.boot().a_ns(), 5);
}

TEST(NodeTemplate, LetsTheCallsLabelsWin) {
  LaunchInstance call = call_for({"on-demand"});
  EXPECT_EQ(label_of(node_of({}, call), "team"), "type");
  auto* label = call.add_labels();
  label->set_key("team");
  label->set_value("call");
  EXPECT_EQ(label_of(node_of({}, call), "team"), "call");
}

TEST(NodeTemplate, AddsTheCallsTaintsToItsOwn) {
  hosts::NodeConfig base;
  base.add_taints()->set_key("base");
  LaunchInstance call = call_for({"on-demand"});
  call.add_taints()->set_key("karpenter.sh/unregistered");
  const hosts::NodeConfig node = node_of(base, call);
  ASSERT_EQ(node.taints_size(), 2);
  EXPECT_EQ(node.taints(1).key(), "karpenter.sh/unregistered");
}

}  // namespace
}  // namespace troupe::cloud
