#include "actors/api_server/watch_cache.h"

#include <gtest/gtest.h>

#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::pod;

CachedEvent added(std::int64_t revision, const std::string& name, SimTime at = kTimeZero) {
  return {revision, api::WatchEvent::ADDED, Payload::of(pod("ns", name)), {}, at};
}

std::vector<std::int64_t> since(const WatchCache& cache, std::int64_t revision) {
  std::vector<std::int64_t> found;
  cache.for_each_since("Pod", revision,
                       [&](const CachedEvent& event) { found.push_back(event.revision); });
  return found;
}

TEST(WatchCache, FollowsTheStoreAndIgnoresWhatItHas) {
  WatchCache cache{{}};
  cache.reset(0, {});
  EXPECT_TRUE(cache.apply("Pod", "ns/a", added(1, "a")));
  EXPECT_FALSE(cache.apply("Pod", "ns/a", added(1, "a")));
  EXPECT_TRUE(
      cache.apply("Pod", "ns/a", {2, api::WatchEvent::DELETED, Payload::of(pod("ns", "a"))}));
  EXPECT_TRUE(cache.objects("Pod").empty());
  EXPECT_EQ(cache.revision(), 2);
}

TEST(WatchCache, BringsTheChangesAfterAVersion) {
  WatchCache cache{{}};
  cache.reset(0, {});
  for (int i = 1; i <= 4; ++i) cache.apply("Pod", "ns/a", added(i, "a"));
  EXPECT_EQ(since(cache, 2), (std::vector<std::int64_t>{3, 4}));
  EXPECT_TRUE(since(cache, 4).empty());
}

TEST(WatchCache, ForgetsWhatIsNotFreshBeyondItsMinimum) {
  WatchCache cache{{.fresh = 75s, .minimum = 2}};
  cache.reset(0, {});
  for (int i = 1; i <= 4; ++i) cache.apply("Pod", "ns/a", added(i, "a"));
  EXPECT_EQ(cache.oldest("Pod", kTimeZero + 75s), 0);
  EXPECT_EQ(cache.oldest("Pod", kTimeZero + 76s), 2);
}

TEST(WatchCache, ForgetsWhatExceedsItsMaximumHoweverFresh) {
  WatchCache cache{{.minimum = 1, .maximum = 3}};
  cache.reset(0, {});
  for (int i = 1; i <= 5; ++i) cache.apply("Pod", "ns/a", added(i, "a"));
  EXPECT_EQ(cache.oldest("Pod", kTimeZero), 2);
  EXPECT_EQ(since(cache, 2).size(), 3u);
}

TEST(WatchCache, RemembersNothingFromBeforeAReset) {
  WatchCache cache{{}};
  cache.reset(7, {Payload::of(pod("ns", "a"))});
  EXPECT_EQ(cache.oldest("Pod", kTimeZero), 7);
  EXPECT_EQ(cache.oldest("Node", kTimeZero), 7);
  EXPECT_TRUE(cache.get("Pod", "ns/a"));
}

}  // namespace
}  // namespace troupe::apiserver
