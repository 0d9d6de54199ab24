#include "actors/api_server/watch_hub.h"

#include <gtest/gtest.h>

#include "actors/api_client/reflector.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using testing::pod;

Watcher watcher(std::uint64_t id, std::vector<api::FieldSelector> fields = {}) {
  api::WatchRequest request;
  for (auto& field : fields) *request.add_fields() = std::move(field);
  const Kind& kind = kind_of<k8s::Pod>();
  return {address_of("node/n" + std::to_string(id)), id, &kind, *ObjectSelector::of(kind, request),
          0};
}

Payload on_node(const std::string& node) {
  k8s::Pod one = pod("ns", "a");
  if (!node.empty()) one.mutable_spec()->set_node_name(node);
  return Payload::of(one);
}

std::vector<std::uint64_t> told(const WatchHub& hub, const CachedEvent& event) {
  std::vector<std::uint64_t> ids;
  hub.publish(kind_of<k8s::Pod>(), event,
              [&](const Watcher& one, const SeenEvent&) { ids.push_back(one.watch_id); });
  return ids;
}

TEST(WatchHub, TellsOnlyTheWatchersOfTheNodesInvolved) {
  WatchHub hub;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    hub.add(watcher(i, {field_is("spec.nodeName", "n" + std::to_string(i))}));
  }
  hub.add(watcher(9));
  EXPECT_EQ(told(hub, {1, api::WatchEvent::ADDED, on_node("")}), (std::vector<std::uint64_t>{9}));
  EXPECT_EQ(told(hub, {2, api::WatchEvent::MODIFIED, on_node("n2"), on_node("")}),
            (std::vector<std::uint64_t>{2, 9}));
}

TEST(WatchHub, NeverTellsAWatcherTwiceOfOneChange) {
  WatchHub hub;
  hub.add(watcher(1, {field_is("spec.nodeName", "n1"), field_is("metadata.name", "a")}));
  EXPECT_EQ(told(hub, {1, api::WatchEvent::MODIFIED, on_node("n1"), on_node("n1")}).size(), 1u);
}

TEST(WatchHub, DoesNotTellWhatAWatcherKnows) {
  WatchHub hub;
  Watcher late = watcher(1);
  late.after = 5;
  hub.add(std::move(late));
  EXPECT_TRUE(told(hub, {5, api::WatchEvent::ADDED, on_node("")}).empty());
  EXPECT_EQ(told(hub, {6, api::WatchEvent::ADDED, on_node("")}).size(), 1u);
}

TEST(WatchHub, ForgetsRemovedWatchers) {
  WatchHub hub;
  hub.add(watcher(1, {field_is("spec.nodeName", "n1")}));
  hub.add(watcher(2));
  hub.remove(address_of("node/n1"), 1);
  EXPECT_TRUE(hub.remove_client(address_of("node/n2")));
  EXPECT_FALSE(hub.remove_client(address_of("node/n2")));
  EXPECT_EQ(hub.size(), 0u);
  EXPECT_TRUE(told(hub, {1, api::WatchEvent::ADDED, on_node("n1")}).empty());
}

}  // namespace
}  // namespace troupe::apiserver
