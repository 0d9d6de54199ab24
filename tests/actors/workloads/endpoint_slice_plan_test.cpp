// What EndpointSlices say about pods, and how few writes that takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/endpoint_slice/endpoints.h"
#include "actors/workloads/endpoint_slice/plan.h"
#include "actors/workloads/endpoint_slice/tracker.h"
#include "actors/workloads/objects/owners.h"
#include "tests/actors/workloads/service_cases.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using troupe::testing::NodeBuilder;
using troupe::testing::PodBuilder;

void add_port(k8s::Pod& pod, const std::string& name, int number) {
  k8s::ContainerPort& port = *pod.mutable_spec()->mutable_containers(0)->add_ports();
  port.set_name(name);
  port.set_container_port(number);
}

// ---- one endpoint

TEST(Endpoints, AReadyPodServes) {
  const auto endpoint = endpoint_of(pod_of_service("a").raw(), nullptr, service());
  EXPECT_THAT(endpoint.addresses(), ElementsAre("node/n1/pod/a"));
  EXPECT_TRUE(endpoint.conditions().ready());
  EXPECT_TRUE(endpoint.conditions().serving());
  EXPECT_FALSE(endpoint.conditions().terminating());
  EXPECT_EQ(endpoint.target_ref().kind(), "Pod");
  EXPECT_EQ(endpoint.target_ref().name(), "a");
  EXPECT_EQ(endpoint.node_name(), "n1");
}

TEST(Endpoints, AnUnreadyPodIsListedButNotReady) {
  const auto endpoint = endpoint_of(pod_of_service("a", false).raw(), nullptr, service());
  EXPECT_FALSE(endpoint.conditions().ready());
  EXPECT_FALSE(endpoint.conditions().serving());
}

TEST(Endpoints, ATerminatingPodMayServeButIsNeverReady) {
  const auto endpoint = endpoint_of(pod_of_service("a").deleted(at(1s)).raw(), nullptr, service());
  EXPECT_FALSE(endpoint.conditions().ready());
  EXPECT_TRUE(endpoint.conditions().serving());
  EXPECT_TRUE(endpoint.conditions().terminating());
}

TEST(Endpoints, APublisherOfUnreadyAddressesCallsThemReady) {
  k8s::Service eager = service();
  eager.mutable_spec()->set_publish_not_ready_addresses(true);
  const auto endpoint =
      endpoint_of(pod_of_service("a", false).deleted(at(1s)).raw(), nullptr, eager);
  EXPECT_TRUE(endpoint.conditions().ready());
  EXPECT_FALSE(endpoint.conditions().serving());
}

TEST(Endpoints, TheZoneIsTheNodes) {
  const auto node = NodeBuilder("n1").zone("eu-1a").share();
  EXPECT_EQ(endpoint_of(pod_of_service("a").raw(), node.get(), service()).zone(), "eu-1a");
  EXPECT_FALSE(endpoint_of(pod_of_service("a").raw(), nullptr, service()).has_zone());
}

TEST(Endpoints, OnlyAMemberOfTheServicesSubdomainHasAHostName) {
  PodBuilder pod = pod_of_service("a");
  pod.raw().mutable_spec()->set_hostname("web-0");
  EXPECT_FALSE(endpoint_of(pod.raw(), nullptr, service()).has_hostname());
  pod.raw().mutable_spec()->set_subdomain("web");
  EXPECT_EQ(endpoint_of(pod.raw(), nullptr, service()).hostname(), "web-0");
}

TEST(Endpoints, PodsWithoutAnAddressAndPodsThatHaveEndedAreNone) {
  PodBuilder pod = pod_of_service("a");
  EXPECT_TRUE(is_endpoint(pod.raw()));
  pod.deleted(at(1s));
  EXPECT_TRUE(is_endpoint(pod.raw()));
  pod.phase("Succeeded");
  EXPECT_FALSE(is_endpoint(pod.raw()));
  EXPECT_FALSE(is_endpoint(PodBuilder("b").on("n1").raw()));
}

TEST(Endpoints, ANamedPortIsLookedUpInThePod) {
  k8s::Pod pod = pod_of_service("a").raw();
  add_port(pod, "metrics", 9090);
  add_port(pod, "api", 8000);
  const auto ports = ports_of(pod, service("api"));
  ASSERT_THAT(ports, SizeIs(1));
  EXPECT_EQ(ports[0].name(), "http");
  EXPECT_EQ(ports[0].port(), 8000);
  EXPECT_THAT(ports_of(pod, service("grpc")), IsEmpty());
}

TEST(Endpoints, ASidecarsNamedPortCountsAndAnInitContainersDoesNot) {
  k8s::Pod pod = pod_of_service("a").raw();
  k8s::Container& init = *pod.mutable_spec()->add_init_containers();
  k8s::ContainerPort& port = *init.add_ports();
  port.set_name("api");
  port.set_container_port(8443);
  EXPECT_THAT(ports_of(pod, service("api")), IsEmpty());
  init.set_restart_policy("Always");
  EXPECT_THAT(ports_of(pod, service("api")), SizeIs(1));
}

TEST(Endpoints, ANumberNeedsNoPortInThePod) {
  const auto ports = ports_of(pod_of_service("a").raw(), service("8080"));
  ASSERT_THAT(ports, SizeIs(1));
  EXPECT_EQ(ports[0].port(), 8080);
}

// ---- the slices of a Service

/// Applies plans to slices as an API server would.
class SlicesTest : public ::testing::Test {
 protected:
  void have(int pods) {
    for (int i = 0; i < pods; ++i) add(pod_of_service("p" + std::to_string(1000 + i)));
  }
  void add(const PodBuilder& pod) {
    pods_["default/" + pod.share()->metadata().name()] = pod.share();
  }
  void drop(const std::string& name) { pods_.erase("default/" + name); }

  SlicePlan reconcile() {
    std::vector<SlicePtr> existing;
    for (const auto& [name, slice] : slices_) existing.push_back(slice);
    const SlicePlan plan = plan_slices(
        service_, pods_,
        [this](const std::string& name) {
          return nodes_.contains(name) ? NodeBuilder(name).share() : nullptr;
        },
        existing);
    for (k8s::EndpointSlice slice : plan.create) {
      slice.mutable_metadata()->set_name("s" + std::to_string(++made_));
      slices_[slice.metadata().name()] = std::make_shared<const k8s::EndpointSlice>(slice);
    }
    for (const k8s::EndpointSlice& slice : plan.update) {
      slices_[slice.metadata().name()] = std::make_shared<const k8s::EndpointSlice>(slice);
    }
    for (const SlicePtr& slice : plan.remove) slices_.erase(slice->metadata().name());
    return plan;
  }
  static std::size_t writes(const SlicePlan& plan) {
    return plan.create.size() + plan.update.size() + plan.remove.size();
  }
  std::vector<int> sizes() const {
    std::vector<int> result;
    for (const auto& [name, slice] : slices_) result.push_back(slice->endpoints_size());
    return result;
  }

  k8s::Service service_ = service();
  std::map<std::string, PodPtr> pods_;
  std::set<std::string> nodes_{"n1"};
  std::map<std::string, SlicePtr> slices_;
  int made_ = 0;
};

TEST_F(SlicesTest, HoldAHundredEndpointsEach) {
  have(250);
  EXPECT_THAT(reconcile().create, SizeIs(3));
  EXPECT_THAT(sizes(), UnorderedElementsAre(100, 100, 50));
  EXPECT_EQ(writes(reconcile()), 0U);
}

TEST_F(SlicesTest, BelongToTheServiceAndAreFoundByIt) {
  set_label(*service_.mutable_metadata()->mutable_labels(), "team", "llm");
  set_label(*service_.mutable_metadata()->mutable_labels(), std::string(kManagedByLabel), "me");
  have(1);
  reconcile();
  const k8s::EndpointSlice& slice = *slices_.at("s1");
  EXPECT_EQ(controller_uid(slice.metadata()), "uid-service");
  EXPECT_EQ(label_or(slice.metadata().labels(), "kubernetes.io/service-name"), "web");
  EXPECT_EQ(label_or(slice.metadata().labels(), "endpointslice.kubernetes.io/managed-by"),
            "endpointslice-controller.k8s.io");
  EXPECT_EQ(label_or(slice.metadata().labels(), "team"), "llm");
  EXPECT_EQ(find_label(slice.metadata().labels(), kHeadlessLabel), nullptr);
  EXPECT_EQ(slice.address_type(), "IPv4");
  EXPECT_EQ(slice.metadata().generate_name(), "web-");
}

TEST_F(SlicesTest, OfAHeadlessServiceSaySo) {
  service_.mutable_spec()->set_cluster_ip("None");
  have(1);
  reconcile();
  EXPECT_NE(find_label(slices_.at("s1")->metadata().labels(), kHeadlessLabel), nullptr);
}

TEST_F(SlicesTest, AServiceWithoutPodsHasAnEmptyOne) {
  EXPECT_THAT(reconcile().create, SizeIs(1));
  EXPECT_THAT(sizes(), ElementsAre(0));
  EXPECT_EQ(writes(reconcile()), 0U);
}

TEST_F(SlicesTest, TheEmptyOneBecomesTheFirstAndTheLastBecomesEmptyAgain) {
  reconcile();
  have(1);
  const SlicePlan first = reconcile();
  EXPECT_THAT(first.update, SizeIs(1));
  EXPECT_EQ(writes(first), 1U);
  EXPECT_THAT(sizes(), ElementsAre(1));
  drop("p1000");
  const SlicePlan last = reconcile();
  EXPECT_THAT(last.update, SizeIs(1));
  EXPECT_EQ(writes(last), 1U);
  EXPECT_THAT(sizes(), ElementsAre(0));
}

TEST_F(SlicesTest, AChangeOfReadinessIsOneWrite) {
  have(250);
  reconcile();
  add(pod_of_service("p1120", false));
  const SlicePlan plan = reconcile();
  EXPECT_THAT(plan.update, SizeIs(1));
  EXPECT_EQ(writes(plan), 1U);
}

TEST_F(SlicesTest, NewEndpointsGoIntoASliceThatIsWrittenAnyway) {
  have(150);
  reconcile();
  drop("p1000");  // of the full slice
  add(pod_of_service("q"));
  const SlicePlan plan = reconcile();
  EXPECT_EQ(writes(plan), 1U);
  EXPECT_THAT(sizes(), UnorderedElementsAre(100, 50));
}

TEST_F(SlicesTest, NewEndpointsGoIntoTheFullestSliceWithRoom) {
  have(150);
  reconcile();
  for (int i = 0; i < 40; ++i) add(pod_of_service("q" + std::to_string(i)));
  EXPECT_THAT(reconcile().update, SizeIs(1));
  EXPECT_THAT(sizes(), UnorderedElementsAre(100, 90));
  // Twenty fit into none: a new slice is one write, filling up the old one would be a second.
  for (int i = 0; i < 20; ++i) add(pod_of_service("r" + std::to_string(i)));
  const SlicePlan plan = reconcile();
  EXPECT_THAT(plan.create, SizeIs(1));
  EXPECT_EQ(writes(plan), 1U);
}

TEST_F(SlicesTest, AnEmptiedSliceGoesWhileOthersStay) {
  have(101);
  reconcile();
  const bool first_is_small = sizes()[0] == 1;
  const auto& small = first_is_small ? slices_.at("s1") : slices_.at("s2");
  drop(small->endpoints(0).target_ref().name());
  const SlicePlan plan = reconcile();
  EXPECT_THAT(plan.remove, SizeIs(1));
  EXPECT_EQ(writes(plan), 1U);
  EXPECT_THAT(sizes(), ElementsAre(100));
}

TEST_F(SlicesTest, PodsWithOtherPortsHaveSlicesOfTheirOwn) {
  service_ = service("api");
  for (int i = 0; i < 4; ++i) {
    PodBuilder pod = pod_of_service("p" + std::to_string(i));
    add_port(pod.raw(), "api", i < 3 ? 8000 : 9000);
    add(pod);
  }
  reconcile();
  EXPECT_THAT(sizes(), UnorderedElementsAre(3, 1));
}

TEST_F(SlicesTest, APodOnAnUnknownNodeIsLeftOut) {
  add(pod_of_service("a"));
  add(pod_of_service("b").on("n2"));
  const SlicePlan plan = reconcile();
  ASSERT_THAT(plan.without_node, SizeIs(1));
  EXPECT_EQ(plan.without_node[0]->metadata().name(), "b");
  EXPECT_THAT(sizes(), ElementsAre(1));
  service_.mutable_spec()->set_publish_not_ready_addresses(true);
  EXPECT_THAT(reconcile().without_node, IsEmpty());
  EXPECT_THAT(sizes(), ElementsAre(2));
}

TEST_F(SlicesTest, FollowTheLabelsOfTheService) {
  have(1);
  reconcile();
  set_label(*service_.mutable_metadata()->mutable_labels(), "team", "llm");
  EXPECT_THAT(reconcile().update, SizeIs(1));
  EXPECT_EQ(label_or(slices_.at("s1")->metadata().labels(), "team"), "llm");
}

TEST_F(SlicesTest, ThoseOfAnEarlierServiceOfThatNameAreNotReused) {
  have(1);
  reconcile();
  service_.mutable_metadata()->set_uid("uid-second");
  const SlicePlan plan = reconcile();
  EXPECT_THAT(plan.create, SizeIs(1));
  EXPECT_THAT(plan.remove, SizeIs(1));
}

// ---- what was written and not seen yet

SlicePtr version(const std::string& uid, const std::string& revision) {
  k8s::EndpointSlice slice;
  slice.mutable_metadata()->set_uid(uid);
  slice.mutable_metadata()->set_resource_version(revision);
  *slice.mutable_metadata()->add_owner_references() = controller_reference(service());
  return std::make_shared<const k8s::EndpointSlice>(slice);
}

TEST(SliceTracker, OlderVersionsThanTheLastWriteAreStale) {
  SliceTracker tracker;
  tracker.written(*version("a", "7"));
  EXPECT_TRUE(tracker.is_stale("uid-service", {version("a", "6")}));
  EXPECT_FALSE(tracker.is_stale("uid-service", {version("a", "7")}));
  EXPECT_FALSE(tracker.is_stale("uid-service", {version("a", "9")}));
}

TEST(SliceTracker, AMissingSliceIsStaleUnlessItWasDeleted) {
  SliceTracker tracker;
  tracker.written(*version("a", "7"));
  EXPECT_TRUE(tracker.is_stale("uid-service", {}));
  tracker.deleting(*version("a", "7"));
  EXPECT_FALSE(tracker.is_stale("uid-service", {}));
  EXPECT_TRUE(tracker.is_stale("uid-service", {version("a", "7")}));
}

TEST(SliceTracker, OnlyWhatOthersDidIsNews) {
  SliceTracker tracker;
  EXPECT_TRUE(tracker.is_news(*version("a", "7")));
  tracker.written(*version("a", "7"));
  EXPECT_FALSE(tracker.is_news(*version("a", "7")));
  EXPECT_TRUE(tracker.is_news(*version("a", "8")));
  EXPECT_TRUE(tracker.vanished(*version("a", "8")));
  tracker.deleting(*version("b", "3"));
  EXPECT_FALSE(tracker.vanished(*version("b", "3")));
}

}  // namespace
}  // namespace troupe::workloads
