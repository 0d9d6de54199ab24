#include "actors/api_server/store.h"

#include <gtest/gtest.h>

#include "actors/api_client/object_key.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::pod;

Payload object(const std::string& name) {
  return Payload::of(pod("ns", name));
}
api::ObjectKey key(const std::string& name) {
  return key_for<k8s::Pod>("ns", name);
}

TEST(Store, EveryChangeOfAnythingTakesTheNextRevision) {
  Store store(5min);
  EXPECT_EQ(store.commit(key("a"), 0, object("a"), kTimeZero)->revision, 1);
  EXPECT_EQ(store.commit(key("b"), 0, object("b"), kTimeZero)->revision, 2);
  EXPECT_EQ(store.commit(key("a"), 1, object("a"), kTimeZero)->revision, 3);
  EXPECT_EQ(store.commit(key("b"), 2, {}, kTimeZero)->revision, 4);
  EXPECT_EQ(store.get(key("a")).revision, 3);
  EXPECT_EQ(store.get(key("b")).revision, 0);
}

TEST(Store, RefusesAWriteComputedOnAnotherRevisionAndChangesNothing) {
  Store store(5min);
  store.commit(key("a"), 0, object("a"), kTimeZero);
  store.commit(key("a"), 1, object("a"), kTimeZero);
  EXPECT_EQ(store.commit(key("a"), 1, object("a"), kTimeZero), nullptr);
  EXPECT_EQ(store.commit(key("a"), 0, object("a"), kTimeZero), nullptr);
  EXPECT_EQ(store.commit(key("a"), 1, {}, kTimeZero), nullptr);
  EXPECT_EQ(store.commit(key("none"), 0, {}, kTimeZero), nullptr);
  EXPECT_EQ(store.revision(), 2);
}

TEST(Store, GivesTheObjectItsRevisionAsResourceVersion) {
  Store store(5min);
  store.commit(key("a"), 0, object("a"), kTimeZero);
  const auto* commit = store.commit(key("b"), 0, object("b"), kTimeZero);
  EXPECT_EQ(commit->object.as<k8s::Pod>()->metadata().resource_version(), "2");
}

TEST(Store, KeepsAnObjectThatCarriesItsRevisionAlready) {
  Store store(5min);
  k8s::Pod foreseen = pod("ns", "a");
  foreseen.mutable_metadata()->set_resource_version("1");
  const Payload given = Payload::of(foreseen);
  EXPECT_EQ(store.commit(key("a"), 0, given, kTimeZero)->object, given);
}

TEST(Store, ADeletionCarriesTheLastStateWithTheRevisionOfTheDeletion) {
  Store store(5min);
  store.commit(key("a"), 0, object("a"), kTimeZero);
  const auto* commit = store.commit(key("a"), 1, {}, kTimeZero);
  EXPECT_EQ(commit->type, api::WatchEvent::DELETED);
  EXPECT_EQ(commit->object.as<k8s::Pod>()->metadata().resource_version(), "2");
  EXPECT_EQ(commit->previous.as<k8s::Pod>()->metadata().resource_version(), "1");
}

TEST(Store, ListsInOrderOfNamespaceAndName) {
  Store store(5min);
  for (const char* name : {"c", "a", "b"}) store.commit(key(name), 0, object(name), kTimeZero);
  const auto listed = store.list("Pod");
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed[0].as<k8s::Pod>()->metadata().name(), "a");
  EXPECT_EQ(listed[2].as<k8s::Pod>()->metadata().name(), "c");
  EXPECT_TRUE(store.list("Node").empty());
}

TEST(Store, CompactsWhatIsOlderThanItsWindow) {
  Store store(5min);
  store.commit(key("a"), 0, object("a"), kTimeZero);
  store.commit(key("b"), 0, object("b"), kTimeZero + 4min);
  store.commit(key("c"), 0, object("c"), kTimeZero + 6min);
  EXPECT_FALSE(store.has_log_since(0));
  EXPECT_TRUE(store.has_log_since(1));
  EXPECT_EQ(store.log().front().revision, 2);
}

}  // namespace
}  // namespace troupe::apiserver
