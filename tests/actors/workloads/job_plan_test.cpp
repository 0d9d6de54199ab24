// What a Job does next, decided on pods that are written down here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/job/indexes.h"
#include "actors/workloads/job/plan.h"
#include "tests/actors/workloads/cluster.h"
#include "tests/support/cluster_objects.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using troupe::testing::PodBuilder;

TEST(Indexes, ReadsAndWritesRanges) {
  EXPECT_EQ(to_string(Indexes{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_THAT(parse_indexes("0-2,5,7-8"), ElementsAre(0, 1, 2, 5, 7, 8));
  EXPECT_THAT(parse_indexes(""), IsEmpty());
  EXPECT_EQ(to_string({}), "");
}

class JobPlanTest : public ::testing::Test {
 protected:
  JobPlanTest() {
    job_.mutable_metadata()->set_namespace_("default");
    job_.mutable_metadata()->set_name("train");
    job_.mutable_metadata()->set_uid("uid-train");
    job_.mutable_spec()->set_parallelism(2);
    job_.mutable_spec()->set_completions(4);
    job_.mutable_spec()->set_backoff_limit(6);
    job_.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("Never");
  }
  void indexed() { job_.mutable_spec()->set_completion_mode("Indexed"); }
  PodBuilder pod(const std::string& name, const std::string& phase = "Running") {
    PodBuilder made(name);
    made.on("n1", phase).owner("Job", "train", "batch/v1");
    return made;
  }
  PodBuilder ended(const std::string& name, const std::string& phase, SimTime when) {
    PodBuilder made = pod(name, phase);
    k8s::ContainerStatus& status = *made.raw().mutable_status()->add_container_statuses();
    status.mutable_state()->mutable_terminated()->set_finished_at(to_ns(when));
    return made;
  }
  PodBuilder at_index(PodBuilder made, int index) {
    return made.annotation(kIndexAnnotation, std::to_string(index));
  }
  void have(const PodBuilder& made) {
    pods_.set("default/" + made.share()->metadata().name(), made.share());
  }
  void gone(const std::string& name) { pods_.erase("default/" + name); }
  /// The plan at that moment; its status becomes the Job's.
  JobPlan plan(SimTime now, bool settled = true) {
    JobPlan made = plan_job(job_, pods_, memory_, settled, now);
    *job_.mutable_status() = made.status;
    return made;
  }
  bool has(const std::string& condition) { return is_true(job_.status().conditions(), condition); }
  static std::vector<std::string> names(const std::vector<PodPtr>& pods) {
    std::vector<std::string> result;
    for (const PodPtr& pod : pods) result.push_back(pod->metadata().name());
    return result;
  }

  k8s::Job job_;
  OwnedPods pods_;
  JobMemory memory_;
};

TEST_F(JobPlanTest, RunsAsManyPodsAtOnceAsItMay) {
  EXPECT_THAT(plan(at(0s)).create, ElementsAre(-1, -1));
  have(pod("a"));
  EXPECT_THAT(plan(at(1s)).create, ElementsAre(-1));
}

TEST_F(JobPlanTest, RunsNoMoreThanCompletionsThatAreLeft) {
  for (const char* name : {"a", "b", "c"}) have(ended(name, "Succeeded", at(1s)));
  EXPECT_THAT(plan(at(2s)).create, ElementsAre(-1));
  have(ended("d", "Succeeded", at(3s)));
  const JobPlan last = plan(at(4s));
  EXPECT_THAT(last.create, IsEmpty());
  EXPECT_TRUE(has("Complete"));
  EXPECT_EQ(job_.status().succeeded(), 4);
  EXPECT_EQ(job_.status().completion_time(), to_ns(at(4s)));
  ASSERT_THAT(last.events, SizeIs(1));
  EXPECT_EQ(last.events[0].reason, "Completed");
}

TEST_F(JobPlanTest, WithoutCompletionsTheFirstSuccessStartsNoMorePods) {
  job_.mutable_spec()->clear_completions();
  have(pod("a"));
  have(ended("b", "Succeeded", at(1s)));
  EXPECT_THAT(plan(at(2s)).create, IsEmpty());
  EXPECT_FALSE(has("Complete"));
  have(ended("a", "Failed", at(3s)));
  plan(at(4s));
  EXPECT_TRUE(has("Complete"));
}

TEST_F(JobPlanTest, IndexedPodsTakeTheSmallestFreeIndexes) {
  indexed();
  job_.mutable_spec()->set_parallelism(3);
  have(at_index(pod("b"), 1));
  EXPECT_THAT(plan(at(0s)).create, ElementsAre(0, 2));
  have(at_index(ended("a", "Succeeded", at(1s)), 0));
  EXPECT_THAT(plan(at(2s)).create, ElementsAre(2, 3));
  EXPECT_EQ(job_.status().completed_indexes(), "0");
}

TEST_F(JobPlanTest, AnIndexCountsOnceAndStaysDoneWhenItsPodIsGone) {
  indexed();
  have(at_index(ended("a", "Succeeded", at(1s)), 0));
  have(at_index(ended("a2", "Succeeded", at(1s)), 0));
  plan(at(2s));
  EXPECT_EQ(job_.status().succeeded(), 1);
  gone("a");
  gone("a2");
  EXPECT_THAT(plan(at(3s)).create, ElementsAre(1, 2));
  EXPECT_EQ(job_.status().completed_indexes(), "0");
}

TEST_F(JobPlanTest, TwoPodsOfOneIndexAreOneTooMany) {
  indexed();
  PodBuilder ready = at_index(pod("a"), 0);
  set_condition(*ready.raw().mutable_status()->mutable_conditions(), {"Ready", "True"}, at(0s));
  have(ready);
  have(at_index(pod("b", "Pending"), 0));
  have(at_index(pod("c"), 9));  // no such index
  const JobPlan made = plan(at(1s));
  EXPECT_THAT(names(made.remove), ::testing::UnorderedElementsAre("b", "c"));
  EXPECT_TRUE(made.dismiss);
}

TEST_F(JobPlanTest, APodToCreateKnowsItsIndex) {
  indexed();
  job_.mutable_spec()->mutable_template_()->mutable_spec()->add_containers()->set_name("main");
  const k8s::Pod made = pod_for(job_, 3);
  EXPECT_EQ(made.metadata().generate_name(), "train-3-");
  EXPECT_EQ(index_of(made), 3);
  EXPECT_EQ(made.spec().hostname(), "train-3");
  EXPECT_EQ(made.spec().containers(0).env(0).name(), "JOB_COMPLETION_INDEX");
  EXPECT_EQ(made.spec().containers(0).env(0).value(), "3");
}

TEST_F(JobPlanTest, EachFailureInARowDoublesTheWaitForTheNextPod) {
  plan(at(0s));
  // 10 s, 20 s, 40 s: counted from the last failure.
  have(ended("a", "Failed", at(100s)));
  EXPECT_EQ(*plan(at(101s)).again, 9s);
  EXPECT_THAT(plan(at(110s)).create, SizeIs(2));
  have(ended("b", "Failed", at(120s)));
  EXPECT_EQ(*plan(at(121s)).again, 19s);
  EXPECT_THAT(plan(at(140s)).create, SizeIs(2));
  have(ended("c", "Failed", at(150s)));
  EXPECT_EQ(*plan(at(151s)).again, 39s);
  have(ended("d", "Succeeded", at(160s)));
  EXPECT_THAT(plan(at(161s)).create, SizeIs(2));  // a success makes up for all of them
}

TEST_F(JobPlanTest, TheWaitIsTenMinutesAtMostAndNeverShorterThanTheBatch) {
  job_.mutable_spec()->set_backoff_limit(100);
  plan(at(0s));
  for (int i = 0; i < 10; ++i) have(ended("p" + std::to_string(i), "Failed", at(100s)));
  EXPECT_EQ(*plan(at(100s)).again, 10min);
  EXPECT_EQ(*plan(at(699'900ms)).again, kJobBatchPeriod);
}

TEST_F(JobPlanTest, AnEvictedPodIsAFailureAsSoonAsItIsToldToEnd) {
  have(pod("a"));
  plan(at(0s));
  PodBuilder evicted = pod("a").deleted(at(40s));
  evicted.raw().mutable_metadata()->set_deletion_grace_period_seconds(30);
  have(evicted);
  const JobPlan made = plan(at(11s));
  EXPECT_EQ(job_.status().failed(), 1);
  EXPECT_EQ(job_.status().terminating(), 1);
  EXPECT_EQ(*made.again, 9s);  // told at 10 s, 10 s of backoff
  gone("a");
  plan(at(20s));
  EXPECT_EQ(job_.status().failed(), 1);
}

TEST_F(JobPlanTest, WhoReplacesOnlyFailedPodsWaitsUntilTheyHaveFailed) {
  job_.mutable_spec()->set_pod_replacement_policy("Failed");
  have(pod("a"));
  have(pod("b"));
  plan(at(0s));
  have(pod("a").deleted(at(40s)));
  EXPECT_THAT(plan(at(11s)).create, IsEmpty());
  EXPECT_EQ(job_.status().failed(), 0);
  have(ended("a", "Failed", at(40s)));
  EXPECT_THAT(plan(at(50s)).create, SizeIs(1));
  EXPECT_EQ(job_.status().failed(), 1);
}

TEST_F(JobPlanTest, FailsWhenMorePodsHaveFailedThanTheLimit) {
  job_.mutable_spec()->set_backoff_limit(1);
  plan(at(0s));
  have(pod("z"));
  have(ended("a", "Failed", at(1s)));
  plan(at(2s));
  EXPECT_FALSE(has("FailureTarget"));
  have(ended("b", "Failed", at(3s)));
  const JobPlan announced = plan(at(4s));
  EXPECT_TRUE(has("FailureTarget"));
  EXPECT_FALSE(has("Failed"));  // one is still running
  EXPECT_THAT(names(announced.remove), ElementsAre("z"));
  have(pod("z").deleted(at(34s)));
  plan(at(5s));
  EXPECT_FALSE(has("Failed"));
  gone("z");
  const JobPlan last = plan(at(6s));
  EXPECT_TRUE(has("Failed"));
  EXPECT_EQ(find_condition(job_.status().conditions(), "Failed")->reason(), "BackoffLimitExceeded");
  EXPECT_EQ(job_.status().failed(), 3);  // the last one did not end by itself
  ASSERT_THAT(last.events, SizeIs(1));
  EXPECT_EQ(last.events[0].type, "Warning");
}

TEST_F(JobPlanTest, RestartsInPlaceReachTheLimitWhereFailuresMustExceedIt) {
  job_.mutable_spec()->set_backoff_limit(2);
  job_.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("OnFailure");
  PodBuilder restarted = pod("a");
  k8s::ContainerStatus& status = *restarted.raw().mutable_status()->add_container_statuses();
  status.set_restart_count(1);
  have(restarted);
  plan(at(1s));
  EXPECT_FALSE(has("FailureTarget"));
  status.set_restart_count(2);
  have(restarted);
  plan(at(2s));
  EXPECT_TRUE(has("FailureTarget"));
}

TEST_F(JobPlanTest, NothingIsFinalWhileItsOwnWritesAreUnseen) {
  for (const char* name : {"a", "b", "c", "d"}) have(ended(name, "Succeeded", at(1s)));
  plan(at(2s), false);
  EXPECT_FALSE(has("SuccessCriteriaMet"));
  EXPECT_FALSE(has("Complete"));
  job_.mutable_spec()->set_completions(9);
  EXPECT_THAT(plan(at(2s), false).create, IsEmpty());
}

TEST_F(JobPlanTest, FailsAtItsDeadlineAndComesBackForIt) {
  job_.mutable_spec()->set_active_deadline_seconds(60);
  have(pod("a"));
  have(pod("b"));
  EXPECT_EQ(*plan(at(10s)).again, 60s);
  EXPECT_EQ(*plan(at(30s)).again, 40s);
  const JobPlan over = plan(at(70s));
  EXPECT_THAT(over.remove, SizeIs(2));
  EXPECT_FALSE(over.dismiss);
  EXPECT_EQ(find_condition(job_.status().conditions(), "FailureTarget")->reason(),
            "DeadlineExceeded");
}

TEST_F(JobPlanTest, SuspensionStopsPodsThatAreNoFailuresAndTheClock) {
  job_.mutable_spec()->set_active_deadline_seconds(60);
  have(pod("a"));
  plan(at(0s));
  job_.mutable_spec()->set_suspend(true);
  const JobPlan suspended = plan(at(50s));
  EXPECT_THAT(names(suspended.remove), ElementsAre("a"));
  EXPECT_TRUE(suspended.dismiss);
  EXPECT_TRUE(has("Suspended"));
  memory_.dismissed.insert("uid-a");  // as the controller does when it deletes it
  have(pod("a").deleted(at(80s)));
  plan(at(100s));
  EXPECT_EQ(job_.status().failed(), 0);
  EXPECT_FALSE(has("FailureTarget"));
  gone("a");
  job_.mutable_spec()->set_suspend(false);
  const JobPlan resumed = plan(at(200s));
  EXPECT_THAT(resumed.create, SizeIs(2));
  EXPECT_FALSE(has("Suspended"));
  EXPECT_EQ(job_.status().start_time(), to_ns(at(200s)));
  EXPECT_EQ(resumed.events.at(0).reason, "Resumed");
}

TEST_F(JobPlanTest, LessParallelismTakesThePodsThatHaveGotTheLeastFar) {
  have(pod("a"));
  have(pod("b", "Pending"));
  job_.mutable_spec()->set_parallelism(1);
  const JobPlan made = plan(at(1s));
  EXPECT_THAT(names(made.remove), ElementsAre("b"));
  EXPECT_TRUE(made.dismiss);
}

TEST_F(JobPlanTest, ARestartedControllerKeepsTheCountsOfPodsThatAreGone) {
  job_.mutable_status()->set_failed(3);
  job_.mutable_status()->set_succeeded(1);
  have(ended("a", "Failed", at(1s)));
  have(pod("b").deleted(at(40s)));  // counted already, or dismissed
  plan(at(10s));
  EXPECT_EQ(job_.status().failed(), 3);
  EXPECT_EQ(job_.status().succeeded(), 1);
  have(ended("c", "Failed", at(20s)));
  plan(at(21s));
  EXPECT_EQ(job_.status().failed(), 4);
}

}  // namespace
}  // namespace troupe::workloads
