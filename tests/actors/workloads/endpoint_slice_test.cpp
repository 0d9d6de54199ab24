// The EndpointSlice controller against a real API server, with a real router at the other end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/serving/router_actor.h"
#include "actors/workloads/endpoint_slice/plan.h"
#include "actors/workloads/objects/owners.h"
#include "tests/actors/workloads/service_cases.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using troupe::testing::NodeBuilder;
using troupe::testing::Probe;
using troupe::testing::Wire;

class EndpointSliceTest : public ::testing::Test {
 protected:
  EndpointSliceTest() {
    k8s::Node node = NodeBuilder("n1").zone("eu-1a").raw();
    cluster_.create(std::move(node));
    k8s::Service made = service();
    made.mutable_metadata()->clear_uid();
    cluster_.create(std::move(made));
    cluster_.network.run_for(1s);
  }
  std::vector<SlicePtr> slices() { return cluster_.all<k8s::EndpointSlice>("default"); }
  std::vector<std::string> ready() {
    std::vector<std::string> names;
    for (const SlicePtr& slice : slices()) {
      for (const k8s::Endpoint& endpoint : slice->endpoints()) {
        if (endpoint.conditions().ready()) names.push_back(endpoint.target_ref().name());
      }
    }
    return names;
  }
  PodPtr start_pod(const std::string& name) {
    k8s::Pod pod = troupe::testing::pod("default", name);
    set_label(*pod.mutable_metadata()->mutable_labels(), "app", "web");
    cluster_.create(std::move(pod));
    const auto made = cluster_.stored<k8s::Pod>("default/" + name);
    cluster_.run_pod(*made);
    return made;
  }
  Cluster cluster_;
};

TEST_F(EndpointSliceTest, APodIsReadyThereAtOnceWhenItIsReady) {
  ASSERT_THAT(slices(), SizeIs(1));
  EXPECT_THAT(ready(), IsEmpty());
  start_pod("a");
  cluster_.network.run_for(100ms);
  EXPECT_THAT(ready(), ElementsAre("a"));
  ASSERT_THAT(slices(), SizeIs(1));
  EXPECT_EQ(slices()[0]->endpoints(0).zone(), "eu-1a");
  EXPECT_EQ(controller_uid(slices()[0]->metadata()),
            cluster_.stored<k8s::Service>("default/web")->metadata().uid());
}

TEST_F(EndpointSliceTest, FollowsAPodToItsEnd) {
  const PodPtr pod = start_pod("a");
  cluster_.set_pod(*pod, "Running", false);
  cluster_.network.run_for(100ms);
  EXPECT_THAT(ready(), IsEmpty());
  cluster_.set_pod(*pod, "Running", true);
  cluster_.network.run_for(100ms);
  EXPECT_THAT(ready(), ElementsAre("a"));
  cluster_.remove(key_of(*pod));
  cluster_.network.run_for(100ms);
  EXPECT_THAT(ready(), IsEmpty());
  ASSERT_EQ(slices()[0]->endpoints_size(), 1);
  EXPECT_TRUE(slices()[0]->endpoints(0).conditions().terminating());
  EXPECT_TRUE(slices()[0]->endpoints(0).conditions().serving());
  cluster_.end_deleted_pods();
  EXPECT_EQ(slices()[0]->endpoints_size(), 0);
}

TEST_F(EndpointSliceTest, AServiceWithoutASelectorIsLeftAlone) {
  k8s::Service other = service();
  other.mutable_metadata()->set_name("other");
  other.mutable_metadata()->clear_uid();
  other.mutable_spec()->clear_selector();
  cluster_.create(std::move(other));
  start_pod("a");
  cluster_.network.run_for(5s);
  EXPECT_THAT(slices(), SizeIs(1));
}

TEST_F(EndpointSliceTest, AChangedSelectorMeansOtherPods) {
  start_pod("a");
  k8s::Service changed = *cluster_.stored<k8s::Service>("default/web");
  set_label(*changed.mutable_spec()->mutable_selector(), "app", "db");
  ASSERT_TRUE(cluster_.update(std::move(changed)).ok());
  cluster_.network.run_for(1s);
  EXPECT_THAT(ready(), IsEmpty());
}

TEST_F(EndpointSliceTest, ALateWatchMakesNoSliceTwiceAndUndoesNothing) {
  cluster_.network.latency = [](const Wire& wire) {
    return wire.what.as<api::WatchEvent>() != nullptr ? Duration(700ms) : Duration(1ms);
  };
  for (const char* name : {"a", "b", "c", "d"}) {
    start_pod(name);
    cluster_.network.run_for(150ms);
  }
  cluster_.network.run_for(20s);
  EXPECT_THAT(slices(), SizeIs(1));
  EXPECT_THAT(ready(), UnorderedElementsAre("a", "b", "c", "d"));
}

TEST_F(EndpointSliceTest, WhatOthersWriteIsPutRightAfterASecond) {
  start_pod("a");
  cluster_.network.run_for(2s);
  k8s::EndpointSlice broken = *slices()[0];
  broken.mutable_endpoints(0)->mutable_conditions()->set_ready(false);
  ASSERT_TRUE(cluster_.update(std::move(broken)).ok());
  cluster_.network.run_for(500ms);
  EXPECT_THAT(ready(), IsEmpty());
  cluster_.network.run_for(1s);
  EXPECT_THAT(ready(), ElementsAre("a"));
  cluster_.remove(key_of(*slices()[0]));
  cluster_.network.run_for(2s);
  EXPECT_THAT(ready(), ElementsAre("a"));
}

TEST_F(EndpointSliceTest, APodOnAnUnknownNodeComesWhenTheNodeDoes) {
  k8s::Pod pod = troupe::testing::pod("default", "far");
  set_label(*pod.mutable_metadata()->mutable_labels(), "app", "web");
  cluster_.create(std::move(pod));
  cluster_.run_pod(*cluster_.stored<k8s::Pod>("default/far"), "n2");
  cluster_.network.run_for(1s);
  EXPECT_THAT(ready(), IsEmpty());
  EXPECT_THAT(cluster_.event_reasons("Service/default/web"),
              Contains("FailedToUpdateEndpointSlices"));
  k8s::Node node = NodeBuilder("n2").raw();
  cluster_.create(std::move(node));
  cluster_.network.run_for(10s);
  EXPECT_THAT(ready(), ElementsAre("far"));
}

TEST_F(EndpointSliceTest, TheSlicesGoWithTheService) {
  start_pod("a");
  cluster_.remove(key_for<k8s::Service>("default/web"));
  cluster_.network.run_for(5s);
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(EndpointSliceTest, ANewServiceOfAnOldNameHasSlicesOfItsOwn) {
  start_pod("a");
  cluster_.remove(key_for<k8s::Service>("default/web"));
  k8s::Service again = service();
  again.mutable_metadata()->clear_uid();
  cluster_.create(std::move(again));
  cluster_.network.run_for(20s);
  ASSERT_THAT(slices(), SizeIs(1));
  EXPECT_EQ(controller_uid(slices()[0]->metadata()),
            cluster_.stored<k8s::Service>("default/web")->metadata().uid());
  EXPECT_THAT(ready(), ElementsAre("a"));
}

TEST_F(EndpointSliceTest, ACrashedControllerTakesUpWhereItWas) {
  start_pod("a");
  cluster_.network.run_for(1s);
  cluster_.network.crash(kManager);
  start_pod("b");
  cluster_.network.run_for(1s);
  cluster_.network.restart(kManager);
  cluster_.network.run_for(3s);
  EXPECT_THAT(slices(), SizeIs(1));
  EXPECT_THAT(ready(), UnorderedElementsAre("a", "b"));
}

TEST_F(EndpointSliceTest, ARouterSendsRequestsToTheReadyPodsAlone) {
  auto config = std::make_shared<hosts::RouterConfig>();
  config->set_service("default/web");
  config->set_policy("round-robin");
  config->set_queue_limit(10);
  config->mutable_client()->set_api_servers(1);
  cluster_.network.add("router/web",
                       [config] { return std::make_unique<serving::RouterActor>(config); });
  std::vector<std::string> asked;
  cluster_.network.add("node/n1",
                       [] { return std::make_unique<Probe>([](Context&, const Delivery&) {}); });
  for (const char* name : {"a", "b"}) {
    const PodPtr pod = start_pod(name);
    if (pod->metadata().name() == "b") cluster_.set_pod(*pod, "Running", false);
    const std::string path = "node/n1/pod/" + pod->metadata().uid();
    cluster_.network.add(path, [&asked, name] {
      return std::make_unique<Probe>([&asked, name](Context&, const Delivery& delivery) {
        if (delivery.as<serving::InferRequest>() != nullptr) asked.emplace_back(name);
      });
    });
  }
  cluster_.network.run_for(2s);
  cluster_.network.as(Cluster::kClient, [](Context& context) {
    for (std::uint64_t id = 1; id <= 3; ++id) {
      serving::InferRequest request;
      request.set_request_id(id);
      context.send(address_of("router/web"), Payload::of(std::move(request)), {});
    }
  });
  cluster_.network.run_for(1s);
  EXPECT_THAT(asked, ElementsAre("a", "a", "a"));
}

}  // namespace
}  // namespace troupe::workloads
