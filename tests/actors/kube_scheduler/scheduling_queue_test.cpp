#include "actors/kube_scheduler/scheduling_queue.h"

#include <gtest/gtest.h>

#include "tests/support/cluster_objects.h"

namespace troupe::kube_scheduler {
namespace {

using namespace std::chrono_literals;
using scheduling::Plugin;
using testing::NodeBuilder;
using testing::PodBuilder;

constexpr SimTime at(Duration since_start) {
  return kTimeZero + since_start;
}

class QueueTest : public ::testing::Test {
 protected:
  scheduling::PodPtr pod(const PodBuilder& builder) {
    return scheduling::make_pod_info(builder.share(), classes_);
  }
  void add(const PodBuilder& builder, Duration when = 0s) { queue.add(pod(builder), at(when)); }
  std::string pop(Duration when) {
    popped_ = queue.pop(at(when));
    return popped_ ? popped_->pod->name() : "";
  }
  void refuse(Duration when, Plugin plugin = Plugin::NodeResourcesFit) {
    popped_->refused_by = scheduling::bit(plugin);
    queue.requeue_refused(*std::exchange(popped_, std::nullopt), at(when));
  }
  /// Something that frees resources anywhere.
  void pod_goes(Duration when) {
    queue.on_event({.kind = ClusterEvent::Kind::PodRemoved, .pod = pod(PodBuilder("gone").on("n"))},
                   at(when));
  }
  /// Flushes each second up to `until` and pops; the second at which the pod came out, or -1.
  int pops_at(int from, int until) {
    for (int second = from; second <= until; ++second) {
      queue.flush_backoff(at(second * 1s));
      if (!pop(second * 1s).empty()) return second;
    }
    return -1;
  }

  SchedulingQueue queue{false};
  std::optional<QueuedPod> popped_;

 private:
  scheduling::LabelClasses classes_;
};

TEST_F(QueueTest, PopsTheMostImportantThenTheOldest) {
  add(PodBuilder("old"), 0s);
  add(PodBuilder("young"), 1s);
  add(PodBuilder("important").priority(10), 2s);
  EXPECT_EQ(pop(3s), "important");
  EXPECT_EQ(pop(3s), "old");
  EXPECT_EQ(pop(3s), "young");
  EXPECT_EQ(pop(3s), "");
}

TEST_F(QueueTest, DoublesTheBackoffFromOneSecondToTen) {
  EXPECT_EQ(SchedulingQueue::backoff_after(0), 0s);
  EXPECT_EQ(SchedulingQueue::backoff_after(1), 1s);
  EXPECT_EQ(SchedulingQueue::backoff_after(2), 2s);
  EXPECT_EQ(SchedulingQueue::backoff_after(4), 8s);
  EXPECT_EQ(SchedulingQueue::backoff_after(5), 10s);
  EXPECT_EQ(SchedulingQueue::backoff_after(1000), 10s);
}

// C42: a helpful event at each attempt, the gate off: gaps of 1, 2, 4, 8, 10 and 10 s.
TEST_F(QueueTest, C42TriesAgainAfterGrowingGapsWhereEachAttemptIsFollowedByAHelpfulEvent) {
  add(PodBuilder("p"));
  ASSERT_EQ(pop(0s), "p");
  std::vector<int> gaps;
  int now = 0;
  for (int attempt = 0; attempt < 6; ++attempt) {
    refuse(now * 1s);
    pod_goes(now * 1s);
    const int next = pops_at(now + 1, now + 20);
    gaps.push_back(next - now);
    now = next;
  }
  EXPECT_EQ(gaps, (std::vector<int>{1, 2, 4, 8, 10, 10}));
}

TEST_F(QueueTest, C42AnIdleSchedulerDoesNotWaitForTheBackoff) {
  queue = SchedulingQueue(true);
  add(PodBuilder("p"));
  ASSERT_EQ(pop(0s), "p");
  refuse(0s);
  pod_goes(100ms);
  EXPECT_EQ(pop(200ms), "p");
}

TEST_F(QueueTest, C42AnErrorIsWaitedForByAnIdleSchedulerToo) {
  queue = SchedulingQueue(true);
  add(PodBuilder("p"));
  auto popped = queue.pop(at(0s));
  queue.requeue_failed(*popped, at(0s));
  EXPECT_EQ(pop(900ms), "");
  EXPECT_EQ(pops_at(1, 3), 1);
}

TEST_F(QueueTest, C42WithoutEventsThePodIsTriedAfterFiveMinutes) {
  add(PodBuilder("p"));
  ASSERT_EQ(pop(0s), "p");
  refuse(0s);
  queue.flush_unschedulable(at(300s));
  EXPECT_EQ(pop(300s), "");
  queue.flush_unschedulable(at(330s));
  EXPECT_EQ(pop(330s), "p");
}

TEST_F(QueueTest, AnEventThatCannotHelpLeavesThePodWhereItIs) {
  add(PodBuilder("p").selects("pool", "a"));
  ASSERT_EQ(pop(0s), "p");
  refuse(0s, Plugin::NodeAffinity);
  pod_goes(1s);
  EXPECT_EQ(queue.unschedulable(), 1u);
}

TEST_F(QueueTest, AnEventDuringTheAttemptIsNotLost) {
  add(PodBuilder("p"));
  ASSERT_EQ(pop(0s), "p");
  pod_goes(10ms);
  refuse(20ms);
  EXPECT_EQ(queue.unschedulable(), 0u);
  EXPECT_EQ(queue.backing_off(), 1u);
}

TEST_F(QueueTest, AnEventBeforeTheAttemptDoesNotCountForIt) {
  add(PodBuilder("other"));
  ASSERT_EQ(pop(0s), "other");  // something in flight, so events are remembered
  pod_goes(1s);
  add(PodBuilder("p"), 2s);
  ASSERT_EQ(pop(2s), "p");
  refuse(3s);
  EXPECT_EQ(queue.unschedulable(), 1u);
}

TEST_F(QueueTest, AGatedPodWaitsUntilItsGatesAreGone) {
  PodBuilder gated("p");
  gated.raw().mutable_spec()->add_scheduling_gates()->set_name("wait");
  add(gated);
  pod_goes(1s);
  queue.flush_unschedulable(at(1000s));
  EXPECT_EQ(pop(1000s), "");
  queue.update(pod(PodBuilder("p")), at(1001s));
  EXPECT_EQ(pop(1001s), "p");
}

TEST_F(QueueTest, AChangeOfThePodItselfTriesItAgain) {
  add(PodBuilder("p"));
  ASSERT_EQ(pop(0s), "p");
  refuse(0s);
  queue.update(pod(PodBuilder("p").tolerates("gpu")), at(5s));
  EXPECT_EQ(pop(5s), "p");
}

TEST_F(QueueTest, APreemptorIsHeldUntilItIsUnblockedAndThenComesWithTheEndOfAVictim) {
  add(PodBuilder("p"));
  ASSERT_EQ(pop(0s), "p");
  popped_->held = true;
  refuse(0s);
  pod_goes(5s);
  EXPECT_EQ(pop(5s), "");
  queue.unblock("uid-p");
  EXPECT_EQ(pop(6s), "");
  pod_goes(7s);
  EXPECT_EQ(pop(7s), "p");
}

TEST_F(QueueTest, APreemptorWhoseVictimsCouldNotBeDeletedIsTriedAtOnce) {
  add(PodBuilder("p"));
  ASSERT_EQ(pop(0s), "p");
  popped_->held = true;
  refuse(0s);
  queue.activate("uid-p", at(1s));
  EXPECT_EQ(pop(1s), "p");
}

TEST_F(QueueTest, ARemovedPodNeverComesBack) {
  add(PodBuilder("p"));
  queue.remove("uid-p");
  EXPECT_EQ(pop(0s), "");
  EXPECT_FALSE(queue.has_work());
}

}  // namespace
}  // namespace troupe::kube_scheduler
