// Watches as a client sees them: order, selectors, resuming, bookmarks, 410.
#include <gtest/gtest.h>

#include "actors/api_client/reflector.h"
#include "messages/labels.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;

/// A bare watch that writes down what it is told: "ADDED ns/a@3".
struct Recorder : WatchListener {
  std::vector<std::string> seen;
  bool broken = false;

  void on_watch_event(Context&, const api::WatchEvent& event, const Payload& payload) override {
    std::string line = api::WatchEvent::Type_Name(event.type());
    if (!payload.attachments().empty()) {
      line += " " + path_of(meta_of(payload.attachments().front().message()));
    }
    if (event.type() == api::WatchEvent::ERROR) line += " " + std::to_string(event.code());
    if (!event.resource_version().empty()) line += "@" + event.resource_version();
    seen.push_back(line);
  }
  void on_watch_broken(Context&) override { broken = true; }
};

std::uint64_t watch(ApiCluster& cluster, Recorder& recorder, const std::string& version,
                    const std::vector<api::FieldSelector>& fields = {},
                    const std::vector<api::LabelRequirement>& labels = {}) {
  std::uint64_t id = 0;
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    api::WatchRequest request;
    request.set_kind("Pod");
    request.set_resource_version(version);
    for (const auto& field : fields) *request.add_fields() = field;
    for (const auto& label : labels) *request.add_labels() = label;
    id = cluster.client().api.watch(context, request, recorder);
  });
  cluster.network.run_for(50ms);
  return id;
}

using Lines = std::vector<std::string>;

TEST(Watch, BringsEveryChangeAfterItsVersionInOrder) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  Recorder recorder;
  watch(cluster, recorder, "1");
  cluster.create(pod("ns", "b"));
  cluster.bind(key_for<k8s::Pod>("ns/a"), "n1");
  cluster.remove(key_for<k8s::Pod>("ns/b"));
  cluster.network.run_for(1s);
  EXPECT_EQ(recorder.seen, (Lines{"ADDED ns/b@2", "MODIFIED ns/a@3", "DELETED ns/b@4"}));
}

TEST(Watch, WithoutAVersionBeginsWithWhatThereIs) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  cluster.create(pod("ns", "b"));
  Recorder recorder;
  watch(cluster, recorder, "");
  EXPECT_EQ(recorder.seen, (Lines{"ADDED ns/a@1", "ADDED ns/b@2"}));
}

TEST(Watch, ResumesFromTheHistory) {
  ApiCluster cluster;
  for (const char* name : {"a", "b", "c"}) cluster.create(pod("ns", name));
  Recorder recorder;
  watch(cluster, recorder, "1");
  EXPECT_EQ(recorder.seen, (Lines{"ADDED ns/b@2", "ADDED ns/c@3"}));
}

TEST(Watch, IsTold410WhenItsVersionIsForgotten) {
  ApiCluster cluster(1, [](ApiServerActor::Options& options) { options.cache.minimum = 1; });
  for (const char* name : {"a", "b", "c"}) cluster.create(pod("ns", name));
  cluster.network.run_for(80s);  // past the 75 s for which events stay fresh
  Recorder recorder;
  watch(cluster, recorder, "1");
  EXPECT_EQ(recorder.seen, (Lines{"ERROR 410"}));
}

TEST(Watch, KeepsAHundredEventsHoweverOldUpToTheCompaction) {
  ApiCluster cluster;
  for (const char* name : {"a", "b", "c"}) cluster.create(pod("ns", name));
  cluster.network.run_for(80s);
  Recorder resumed;
  watch(cluster, resumed, "1");
  EXPECT_EQ(resumed.seen.size(), 2u);
  cluster.network.run_for(5min);
  Recorder late;
  watch(cluster, late, "1");
  EXPECT_EQ(late.seen, (Lines{"ERROR 410"}));
}

TEST(Watch, OfOneNodesPodsSeesAPodArriveAndNotTheOthers) {
  ApiCluster cluster;
  Recorder recorder;
  cluster.create(pod("ns", "a"));
  watch(cluster, recorder, "1", {field_is("spec.nodeName", "n1")});
  cluster.create(pod("ns", "b"));
  cluster.bind(key_for<k8s::Pod>("ns/a"), "n1");
  cluster.bind(key_for<k8s::Pod>("ns/b"), "n2");
  cluster.network.run_for(1s);
  EXPECT_EQ(recorder.seen, (Lines{"ADDED ns/a@3"}));
}

TEST(Watch, ByLabelSeesAnObjectLeaveTheSelectionAsDeleted) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "a");
  set_label(*one.mutable_metadata()->mutable_labels(), "tier", "gold");
  one = *cluster.create(one).as<k8s::Pod>();
  Recorder recorder;
  watch(cluster, recorder, "1", {}, {label_in("tier", {"gold", "silver"})});
  set_label(*one.mutable_metadata()->mutable_labels(), "tier", "lead");
  one = *cluster.update(one).as<k8s::Pod>();
  set_label(*one.mutable_metadata()->mutable_labels(), "tier", "silver");
  cluster.update(one);
  cluster.network.run_for(1s);
  EXPECT_EQ(recorder.seen, (Lines{"DELETED ns/a@2", "ADDED ns/a@3"}));
}

TEST(Watch, OfAFieldThatTheKindLacksIsRefused) {
  ApiCluster cluster;
  Recorder recorder;
  watch(cluster, recorder, "", {field_is("spec.colour", "red")});
  EXPECT_EQ(recorder.seen, (Lines{"ERROR 400"}));
}

TEST(Watch, GetsABookmarkAMinute) {
  ApiCluster cluster;
  Recorder recorder;
  watch(cluster, recorder, "", {field_is("spec.nodeName", "n1")});
  cluster.create(pod("ns", "a"));
  cluster.network.run_for(150s);
  EXPECT_EQ(recorder.seen, (Lines{"BOOKMARK@1", "BOOKMARK@1"}));
}

TEST(Watch, StopsWhenToldTo) {
  ApiCluster cluster;
  Recorder recorder;
  const auto id = watch(cluster, recorder, "");
  cluster.network.as(ApiCluster::kClient,
                     [&](Context& context) { cluster.client().api.stop_watch(context, id); });
  cluster.network.run_for(50ms);
  cluster.create(pod("ns", "a"));
  cluster.network.run_for(1s);
  EXPECT_TRUE(recorder.seen.empty());
}

TEST(Watch, OfAClientThatDiedIsDroppedWhenAnEventIsRefused) {
  ApiCluster cluster;
  cluster.add_client("controller/other/0", {.qps = 0});
  Recorder recorder;
  cluster.network.as("controller/other/0", [&](Context& context) {
    api::WatchRequest request;
    request.set_kind("Pod");
    cluster.client("controller/other/0").api.watch(context, request, recorder);
  });
  cluster.network.run_for(50ms);
  cluster.network.stop("controller/other/0");
  cluster.create(pod("ns", "a"));
  cluster.network.run_for(50ms);
  const std::size_t before = cluster.network.sent("WatchEvent");
  cluster.create(pod("ns", "b"));
  EXPECT_EQ(cluster.network.sent("WatchEvent"), before);
}

TEST(NodeLeases, ReachWhoeverSubscribedThroughAnyReplica) {
  ApiCluster cluster(3);
  std::vector<std::string> renewed;
  cluster.network.as(ApiCluster::kClient, [&](Context& context) {
    cluster.client().api.subscribe_node_leases(
        context, [&](Context&, const std::string& node) { renewed.push_back(node); });
  });
  cluster.network.run_for(50ms);
  for (int i = 0; i < 6; ++i) {
    const std::string node = "node/n" + std::to_string(i);
    cluster.add_client(node, {.api_servers = 3});
    cluster.network.as(
        node, [&](Context& context) { cluster.client(node).api.renew_node_lease(context, node); });
  }
  cluster.network.run_for(1s);
  EXPECT_EQ(renewed.size(), 6u);
  EXPECT_EQ(cluster.network.facts().size(), 0u) << "no object was written";
}

}  // namespace
}  // namespace troupe::apiserver
