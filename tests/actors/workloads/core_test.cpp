// Expectations, slow start, the index of pods and the rank of deletions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/core/expectations.h"
#include "actors/workloads/core/pod_index.h"
#include "actors/workloads/core/slow_start.h"
#include "actors/workloads/replica_set/ranking.h"
#include "tests/actors/workloads/cluster.h"
#include "tests/support/cluster_objects.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using troupe::testing::PodBuilder;

TEST(Expectations, AreSatisfiedWhenAllIsSeen) {
  Expectations expectations;
  EXPECT_TRUE(expectations.satisfied("a", at(0s)));
  expectations.expect_creations("a", 2, at(0s));
  expectations.creation_observed("a");
  EXPECT_FALSE(expectations.satisfied("a", at(1s)));
  expectations.creation_observed("a");
  EXPECT_TRUE(expectations.satisfied("a", at(1s)));
  expectations.expect_deletions("a", {"u1", "u2"}, at(2s));
  expectations.deletion_observed("a", "u1");
  expectations.deletion_observed("a", "u1");
  expectations.deletion_observed("a", "someone else");
  EXPECT_FALSE(expectations.satisfied("a", at(3s)));
  expectations.deletion_observed("a", "u2");
  EXPECT_TRUE(expectations.satisfied("a", at(3s)));
}

TEST(Expectations, AreGivenUpAfterFiveMinutes) {
  Expectations expectations;
  expectations.expect_creations("a", 1, at(0s));
  EXPECT_FALSE(expectations.satisfied("a", at(5min)));
  EXPECT_TRUE(expectations.satisfied("a", at(5min + 1ns)));
}

TEST(SlowStart, DoublesItsBatchesAndStopsAtAFailure) {
  SlowStart start(10);
  std::vector<std::size_t> batches;
  while (const std::size_t size = start.next_batch()) {
    batches.push_back(size);
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(start.answered(batches.size() < 3 || i > 0), i + 1 == size);
  }
  EXPECT_THAT(batches, ElementsAre(1, 2, 4));
  EXPECT_TRUE(start.failed());
  EXPECT_EQ(start.skipped(), 3U);
}

TEST(PodIndex, FollowsTheCountsOfAnOwner) {
  PodIndex index;
  PodBuilder pod("a");
  pod.owner("ReplicaSet", "web", "apps/v1");
  index.set(pod.share());
  EXPECT_EQ(index.owned_by("uid-web").counts(), (OwnedPods::Counts{.active = 1}));
  set_condition(*pod.raw().mutable_status()->mutable_conditions(), {"Ready", "True"}, at(0s));
  index.set(pod.share());
  EXPECT_EQ(index.owned_by("uid-web").counts(), (OwnedPods::Counts{.active = 1, .ready = 1}));
  pod.deleted(at(1s));
  index.set(pod.share());
  EXPECT_EQ(index.owned_by("uid-web").counts(), (OwnedPods::Counts{.terminating = 1}));
  index.erase(*pod.share());
  EXPECT_TRUE(index.owned_by("uid-web").is_empty());
}

TEST(PodIndex, KnowsOrphansByNamespace) {
  PodIndex index;
  PodBuilder pod("a", "prod");
  index.set(pod.share());
  EXPECT_FALSE(index.orphans_of("prod").is_empty());
  EXPECT_TRUE(index.orphans_of("default").is_empty());
  pod.owner("ReplicaSet", "web", "apps/v1");
  index.set(pod.share());
  EXPECT_TRUE(index.orphans_of("prod").is_empty());
}

std::vector<std::string> order(const std::vector<PodPtr>& pods, const Colocation& colocated = {}) {
  std::vector<std::string> names;
  std::vector<PodPtr> rest = pods;
  while (rest.size() > 1) {
    const PodPtr first = pods_to_delete(rest, 1, colocated, at(1h)).front();
    names.push_back(first->metadata().name());
    std::erase(rest, first);
  }
  names.push_back(rest.front()->metadata().name());
  return names;
}

PodBuilder ready_pod(const std::string& name, SimTime since = at(0s)) {
  PodBuilder pod(name);
  pod.on("n1");
  set_condition(*pod.raw().mutable_status()->mutable_conditions(), {"Ready", "True"}, since);
  return pod;
}

TEST(Ranking, UnplacedPendingAndUnreadyPodsGoFirst) {
  EXPECT_THAT(
      order({ready_pod("ready").share(), PodBuilder("running").on("n1").share(),
             PodBuilder("pending").on("n1", "Pending").share(), PodBuilder("unplaced").share()}),
      ElementsAre("unplaced", "pending", "running", "ready"));
}

TEST(Ranking, TheDeletionCostComesBeforeAge) {
  EXPECT_THAT(
      order(
          {ready_pod("dear").annotation("controller.kubernetes.io/pod-deletion-cost", "10").share(),
           ready_pod("plain").share(),
           ready_pod("cheap")
               .annotation("controller.kubernetes.io/pod-deletion-cost", "-10")
               .share()}),
      ElementsAre("cheap", "plain", "dear"));
}

TEST(Ranking, PodsThatShareANodeGoBeforeLonelyOnes) {
  EXPECT_THAT(order({ready_pod("alone").on("n2").share(), ready_pod("crowded").share()},
                    {{"n1", 3}, {"n2", 1}}),
              ElementsAre("crowded", "alone"));
}

TEST(Ranking, YoungerPodsGoFirstButNotByAHair) {
  // Ages of 60 min and 59 min are in one power of two of nanoseconds; 60 min and 10 min are not.
  EXPECT_THAT(order({ready_pod("old", at(0s)).share(), ready_pod("young", at(50min)).share()}),
              ElementsAre("young", "old"));
  EXPECT_THAT(order({ready_pod("b", at(1min)).share(), ready_pod("a", at(0s)).share()}),
              ElementsAre("a", "b"));
}

}  // namespace
}  // namespace troupe::workloads
