#include "actors/api_server/admission.h"

#include <gtest/gtest.h>

#include "actors/api_server/preload.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/scheduling.pb.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using testing::ApiCluster;
using testing::pod;

k8s::PriorityClass priority(const std::string& name, std::int32_t value, bool is_default = false) {
  k8s::PriorityClass made;
  made.mutable_metadata()->set_name(name);
  made.set_value(value);
  made.set_global_default(is_default);
  return made;
}

TEST(Admission, GivesAPodThePriorityOfItsClass) {
  ApiCluster cluster;
  cluster.create(priority("high", 1000));
  k8s::Pod one = pod("ns", "a");
  one.mutable_spec()->set_priority_class_name("high");
  const auto made = cluster.create(one).as<k8s::Pod>();
  EXPECT_EQ(made->spec().priority(), 1000);
  EXPECT_EQ(made->spec().preemption_policy(), "PreemptLowerPriority");
}

TEST(Admission, GivesAPodWithoutAClassTheGlobalDefault) {
  ApiCluster cluster;
  EXPECT_EQ(cluster.create(pod("ns", "a")).as<k8s::Pod>()->spec().priority(), 0);
  cluster.create(priority("normal", 50, true));
  const auto made = cluster.create(pod("ns", "b")).as<k8s::Pod>();
  EXPECT_EQ(made->spec().priority(), 50);
  EXPECT_EQ(made->spec().priority_class_name(), "normal");
}

TEST(Admission, RefusesAPodOfAnUnknownClass) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "a");
  one.mutable_spec()->set_priority_class_name("none");
  const ApiResult refused = cluster.create(one);
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.message, "pods \"a\" is forbidden: no PriorityClass with name none was found");
}

TEST(Admission, KnowsTheSystemClasses) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "a");
  one.mutable_spec()->set_priority_class_name("system-node-critical");
  EXPECT_EQ(cluster.create(one).as<k8s::Pod>()->spec().priority(), 2'000'001'000);
}

TEST(Admission, LetsAPodStayFiveMinutesOnAFailingNode) {
  ApiCluster cluster;
  const auto made = cluster.create(pod("ns", "a")).as<k8s::Pod>();
  ASSERT_EQ(made->spec().tolerations_size(), 2);
  EXPECT_EQ(made->spec().tolerations(0).key(), "node.kubernetes.io/not-ready");
  EXPECT_EQ(made->spec().tolerations(1).key(), "node.kubernetes.io/unreachable");
  EXPECT_EQ(made->spec().tolerations(0).toleration_seconds(), 300);
}

TEST(Admission, LeavesATolerationOfThePodsOwnAlone) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "a");
  auto& everything = *one.mutable_spec()->add_tolerations();
  everything.set_operator_("Exists");
  EXPECT_EQ(cluster.create(one).as<k8s::Pod>()->spec().tolerations_size(), 1);
}

TEST(Admission, TaintsANewNodeUntilItIsReady) {
  ApiCluster cluster;
  k8s::Node node;
  node.mutable_metadata()->set_name("n1");
  const auto made = cluster.create(node).as<k8s::Node>();
  ASSERT_EQ(made->spec().taints_size(), 1);
  EXPECT_EQ(made->spec().taints(0).key(), "node.kubernetes.io/not-ready");
  EXPECT_EQ(made->spec().taints(0).effect(), "NoSchedule");
}

TEST(Admission, CreatesNothingInANamespaceThatIsLeaving) {
  ApiCluster cluster;
  k8s::Namespace space;
  space.mutable_metadata()->set_name("ns");
  space.mutable_metadata()->add_finalizers("kubernetes");
  cluster.create(space);
  cluster.remove(key_for<k8s::Namespace>("ns"));
  EXPECT_EQ(cluster.create(pod("ns", "a")).code, 403);
}

TEST(Preload, KeepsStatusUidAndAgeAndFillsInTheRest) {
  k8s::Pod running = pod("ns", "a");
  running.mutable_metadata()->set_uid("given");
  running.mutable_metadata()->set_creation_timestamp(-3600);
  running.mutable_metadata()->set_resource_version("123");
  running.mutable_spec()->set_node_name("n1");
  running.mutable_status()->set_phase("Running");
  k8s::Node node;
  node.mutable_metadata()->set_name("n1");
  const auto prepared = prepare_preload({Payload::of(running), Payload::of(node)});
  const auto& first = *prepared[0].as<k8s::Pod>();
  EXPECT_EQ(first.metadata().uid(), "given");
  EXPECT_EQ(first.metadata().creation_timestamp(), -3600);
  EXPECT_TRUE(first.metadata().resource_version().empty());
  EXPECT_EQ(first.status().phase(), "Running");
  EXPECT_EQ(first.spec().scheduler_name(), "default-scheduler");
  EXPECT_TRUE(prepared[1].as<k8s::Node>()->spec().taints().empty());
  EXPECT_EQ(prepared[1].as<k8s::Node>()->metadata().uid().size(), 36u);
}

TEST(Preload, IsThereBeforeAnyoneAsks) {
  runtime::HostStart start;
  hosts::ApiServerConfig config;
  const auto host = Payload::of(start, {Payload::of(config), Payload::of(pod("ns", "a"))});
  testing::FakeNetwork network;
  network.add("apiserver/0", [&] { return build_api_server(host); });
  std::size_t listed = 0;
  ApiClient api{{.qps = 0}};
  network.add("controller/x/0", [&] {
    return std::make_unique<testing::Probe>(
        [&](Context& context, const Delivery& delivery) { api.receive(context, delivery); });
  });
  network.as("controller/x/0", [&](Context& context) {
    api.list(context, {.kind = "Pod", .resource_version = "0"},
             [&](Context&, const ApiResult& result) { listed = result.items.size(); });
  });
  network.run_for(std::chrono::seconds(1));
  EXPECT_EQ(listed, 1u);
}

}  // namespace
}  // namespace troupe::apiserver
