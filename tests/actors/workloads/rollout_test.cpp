// The steps of a Deployment as functions: surge, availability, proportions, history, progress.
#include "actors/workloads/deployment/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/deployment/progress.h"
#include "actors/workloads/deployment/template_hash.h"
#include "tests/actors/workloads/cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct SetOf {
  int replicas;
  int available;
  int created = 0;
  std::string image = "web:1";
  std::int64_t max_before = -1;
};

ReplicaSetPtr set_of(const std::string& name, const SetOf& what) {
  k8s::ReplicaSet set = replica_set(name, what.replicas);
  set.mutable_metadata()->set_creation_timestamp(what.created);
  *set.mutable_spec()->mutable_template_() = pod_template(what.image);
  set.mutable_status()->set_replicas(what.replicas);
  set.mutable_status()->set_ready_replicas(what.available);
  set.mutable_status()->set_available_replicas(what.available);
  if (what.max_before >= 0) {
    set_label(*set.mutable_metadata()->mutable_annotations(), kMaxAnnotation,
              std::to_string(what.max_before));
  }
  return std::make_shared<const k8s::ReplicaSet>(set);
}

k8s::Deployment with_fences(int replicas, const std::string& surge,
                            const std::string& unavailable) {
  k8s::Deployment result = deployment("web", replicas);
  auto& update = *result.mutable_spec()->mutable_strategy()->mutable_rolling_update();
  update.set_max_surge(surge);
  update.set_max_unavailable(unavailable);
  return result;
}

std::int64_t size_of(const Resizes& resizes, const std::string& name) {
  for (const Resize& resize : resizes) {
    if (resize.set->metadata().name() == name) return resize.replicas;
  }
  return -1;
}

TEST(Fences, SurgeRoundsUpUnavailableDownAndBothAreNeverZero) {
  EXPECT_EQ(fences_of(deployment("web", 10)).surge, 3);
  EXPECT_EQ(fences_of(deployment("web", 10)).unavailable, 2);
  EXPECT_EQ(fences_of(with_fences(10, "0", "0")).unavailable, 1);
  EXPECT_EQ(fences_of(with_fences(10, "0", "5%")).unavailable, 1);
}

TEST(RollingUpdate, TheNewSetGrowsByTheSurge) {
  const k8s::Deployment web = with_fences(10, "30%", "0");
  ReplicaSets sets;
  sets.old = {set_of("old", {10, 10, 1, "web:0"})};
  EXPECT_EQ(new_set_size(web, sets), 3);
  sets.current = set_of("new", {3, 0, 2});
  EXPECT_THAT(rolling_step(web, sets), IsEmpty());  // nothing available yet: nothing may shrink
  sets.current = set_of("new", {3, 2, 2});
  EXPECT_EQ(size_of(rolling_step(web, sets), "old"), 8);
}

TEST(RollingUpdate, OldSetsShrinkAsFarAsAvailabilityAllows) {
  const k8s::Deployment web = with_fences(10, "0", "20%");
  ReplicaSets sets;
  sets.current = set_of("new", {0, 0, 2});
  sets.old = {set_of("old", {10, 10, 1, "web:0"})};
  EXPECT_EQ(size_of(rolling_step(web, sets), "old"), 8);
}

TEST(RollingUpdate, UnhealthyOldPodsGoFirst) {
  const k8s::Deployment web = with_fences(10, "2", "2");
  ReplicaSets sets;
  sets.current = set_of("new", {4, 0, 3});
  sets.old = {set_of("older", {3, 3, 1, "web:0"}), set_of("broken", {5, 0, 2, "web:x"})};
  const Resizes resizes = rolling_step(web, sets);
  // 12 pods, at least 8 available, 4 of the new set on their way: none may go.
  EXPECT_THAT(resizes, IsEmpty());
  sets.current = set_of("new", {4, 4, 3});
  EXPECT_EQ(size_of(rolling_step(web, sets), "broken"), 1);
}

TEST(Recreate, WaitsUntilOldPodsAreGone) {
  k8s::Deployment web = deployment("web", 3);
  web.mutable_spec()->mutable_strategy()->set_type("Recreate");
  ReplicaSets sets;
  sets.current = set_of("new", {0, 0, 2});
  sets.old = {set_of("old", {3, 3, 1, "web:0"})};
  EXPECT_EQ(size_of(recreate_step(web, sets, true), "old"), 0);
  sets.old = {set_of("old", {0, 0, 1, "web:0"})};
  EXPECT_THAT(recreate_step(web, sets, true), IsEmpty());
  EXPECT_EQ(size_of(recreate_step(web, sets, false), "new"), 3);
}

TEST(Scaling, ASingleActiveSetTakesAllOfIt) {
  ReplicaSets sets;
  sets.current = set_of("new", {3, 3});
  EXPECT_EQ(size_of(scale_step(deployment("web", 8), sets), "new"), 8);
}

TEST(Scaling, InTheMiddleOfARolloutEachSetGetsItsShare) {
  // The documented example of proportional scaling: 10 replicas, surge 3, unavailable 2; 8 old and
  // 5 new; scaled to 15.
  ReplicaSets sets;
  sets.current = set_of("new", {5, 0, 2, "web:1", 13});
  sets.old = {set_of("old", {8, 8, 1, "web:0", 13})};
  const Resizes resizes = scale_step(with_fences(15, "3", "2"), sets);
  EXPECT_EQ(size_of(resizes, "old"), 11);
  EXPECT_EQ(size_of(resizes, "new"), 7);
}

TEST(Scaling, ToZeroTakesEverySetToZero) {
  ReplicaSets sets;
  sets.current = set_of("new", {5, 0, 2, "web:1", 13});
  sets.old = {set_of("old", {8, 8, 1, "web:0", 13})};
  const Resizes resizes = scale_step(with_fences(0, "3", "2"), sets);
  EXPECT_EQ(size_of(resizes, "old"), 0);
  EXPECT_EQ(size_of(resizes, "new"), 0);
}

TEST(History, DropsTheOldestSetsWithoutPods) {
  k8s::Deployment web = deployment("web", 1);
  web.mutable_spec()->set_revision_history_limit(1);
  ReplicaSets sets;
  sets.current = set_of("new", {1, 1, 4});
  for (int revision : {3, 1, 2}) {
    k8s::ReplicaSet old = *set_of("old-" + std::to_string(revision), {0, 0, revision, "web:0"});
    set_label(*old.mutable_metadata()->mutable_annotations(), kRevisionAnnotation,
              std::to_string(revision));
    sets.old.push_back(std::make_shared<const k8s::ReplicaSet>(old));
  }
  const auto dropped = history_to_drop(web, sets);
  ASSERT_THAT(dropped, SizeIs(2));
  EXPECT_EQ(dropped[0]->metadata().name(), "old-1");
  EXPECT_EQ(dropped[1]->metadata().name(), "old-2");
}

TEST(Progress, TimesOutAfterItsDeadlineWithoutMovement) {
  k8s::Deployment web = deployment("web", 2);
  web.mutable_spec()->set_progress_deadline_seconds(60);
  ReplicaSets sets;
  sets.current = set_of("web-x", {2, 0});
  k8s::DeploymentStatus status = counted_status(web, sets, at(0s));
  EXPECT_EQ(update_progress(web, sets, status, at(0s)), 61s);
  *web.mutable_status() = status;
  EXPECT_EQ(find_condition(status.conditions(), "Progressing")->reason(), "ReplicaSetUpdated");
  status = counted_status(web, sets, at(60s));
  EXPECT_EQ(update_progress(web, sets, status, at(60s)), 1s);
  EXPECT_EQ(update_progress(web, sets, status, at(61s)), std::nullopt);
  const k8s::Condition* progressing = find_condition(status.conditions(), "Progressing");
  EXPECT_EQ(progressing->status(), "False");
  EXPECT_EQ(progressing->message(), "ReplicaSet \"web-x\" has timed out progressing.");
}

TEST(TemplateHash, ChangesWithTheTemplateAndWithCollisions) {
  EXPECT_EQ(template_hash(pod_template(), 0), template_hash(pod_template(), 0));
  EXPECT_NE(template_hash(pod_template(), 0), template_hash(pod_template("web:2"), 0));
  EXPECT_NE(template_hash(pod_template(), 0), template_hash(pod_template(), 1));
}

}  // namespace
}  // namespace troupe::workloads
