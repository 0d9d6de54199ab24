#include "actors/kai/pod_grouping.h"

#include <gtest/gtest.h>

#include "actors/kai/names.h"
#include "messages/lws.pb.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kai {
namespace {

using testing::PodBuilder;

OwnerView owner(std::string kind, std::string name, std::string api_version = "apps/v1") {
  OwnerView view{std::move(api_version), std::move(kind), {}};
  view.metadata.set_name(name);
  view.metadata.set_namespace_("default");
  view.metadata.set_uid("uid-" + name);
  return view;
}

GroupingOptions options() {
  GroupingOptions made;
  made.class_exists = [](const std::string& name) { return shipped_class(name).has_value(); };
  return made;
}

PodGroup group_of_pod(const PodBuilder& pod, const std::vector<OwnerView>& owners) {
  return group_pod(*pod.share(), owners, options())->group;
}

OwnerView leader_worker_set(int size, std::string policy = {}) {
  OwnerView view = owner("LeaderWorkerSet", "lws", "leaderworkerset.x-k8s.io/v1");
  lws::LeaderWorkerSet set;
  set.mutable_spec()->mutable_leader_worker_template()->set_size(size);
  if (!policy.empty()) set.mutable_spec()->set_startup_policy(std::move(policy));
  view.object = Payload::of(std::move(set));
  return view;
}

PodBuilder lws_pod(int index, int group = 0) {
  PodBuilder pod("lws-" + std::to_string(group) + "-" + std::to_string(index));
  pod.label("leaderworkerset.sigs.k8s.io/group-index", std::to_string(group));
  pod.label("leaderworkerset.sigs.k8s.io/worker-index", std::to_string(index));
  return pod;
}

TEST(PodGrouping, MakesAGroupOfItsOwnForABarePod) {
  const PodGroup group = group_of_pod(PodBuilder("p"), {});
  EXPECT_EQ(group.metadata().name(), "pg-p-uid-p");
  EXPECT_EQ(group.spec().min_member(), 1);
  EXPECT_EQ(group.spec().priority_class_name(), "train");
  EXPECT_EQ(group.spec().queue(), "default-queue");
  EXPECT_EQ(group.metadata().owner_references(0).kind(), "Pod");
}

TEST(PodGrouping, MakesAGroupForEachPodOfADeploymentAsInference) {
  const PodGroup group = group_of_pod(PodBuilder("web-abc-1"),
                                      {owner("ReplicaSet", "web-abc"), owner("Deployment", "web")});
  EXPECT_EQ(group.metadata().name(), "pg-web-abc-1-uid-web-abc-1");
  EXPECT_EQ(group.spec().priority_class_name(), "inference");
  EXPECT_EQ(group.metadata().owner_references(0).kind(), "Pod");
}

TEST(PodGrouping, MakesOneElasticGroupForAReplicaSetOrStatefulSet) {
  for (const std::string kind : {"ReplicaSet", "StatefulSet"}) {
    const PodGroup group = group_of_pod(PodBuilder("set-0"), {owner(kind, "set")});
    EXPECT_EQ(group.metadata().name(), "pg-set-uid-set");
    EXPECT_EQ(group.spec().min_member(), 1);
    EXPECT_EQ(group.metadata().owner_references(0).kind(), kind);
  }
}

TEST(PodGrouping, MakesAGroupForEachPodOfAJob) {
  const PodGroup group = group_of_pod(PodBuilder("job-x1"), {owner("Job", "job", "batch/v1")});
  EXPECT_EQ(group.metadata().name(), "pg-job-x1-uid-job");
  EXPECT_EQ(group.spec().min_member(), 1);
}

TEST(PodGrouping, MakesAGangOfEachGroupOfALeaderWorkerSet) {
  const auto leader = group_pod(*lws_pod(0, 2).share(), {leader_worker_set(4)}, options());
  EXPECT_EQ(leader->group.metadata().name(), "pg-lws-uid-lws-group-2");
  EXPECT_EQ(leader->group.spec().min_member(), 4);
  ASSERT_EQ(leader->group.spec().sub_groups_size(), 2);
  EXPECT_EQ(leader->group.spec().sub_groups(0).name(), "leader");
  EXPECT_EQ(leader->group.spec().sub_groups(0).min_member(), 1);
  EXPECT_EQ(leader->group.spec().sub_groups(1).name(), "workers");
  EXPECT_EQ(leader->group.spec().sub_groups(1).min_member(), 3);
  EXPECT_EQ(leader->sub_group, "leader");
  EXPECT_EQ(group_pod(*lws_pod(3, 2).share(), {leader_worker_set(4)}, options())->sub_group,
            "workers");
  EXPECT_EQ(minimum_of(leader->group), 4);
}

TEST(PodGrouping, WantsTheLeaderAloneUntilItHasANodeWhereWorkersWaitForIt) {
  const auto ready = leader_worker_set(4, "LeaderReady");
  EXPECT_EQ(group_of_pod(lws_pod(0), {ready}).spec().min_member(), 1);
  EXPECT_EQ(group_of_pod(lws_pod(0).on("n"), {ready}).spec().min_member(), 4);
  EXPECT_EQ(group_of_pod(lws_pod(1), {ready}).spec().min_member(), 4);
}

TEST(PodGrouping, RefusesALeaderWorkerSetWithoutASize) {
  EXPECT_FALSE(group_pod(*lws_pod(0).share(), {leader_worker_set(0)}, options()));
}

TEST(PodGrouping, TakesTheQueueFromTheTopOwnerThenFromThePod) {
  OwnerView set = owner("StatefulSet", "set");
  PodBuilder pod("set-0");
  pod.label("kai.scheduler/queue", "of-pod");
  EXPECT_EQ(group_of_pod(pod, {set}).spec().queue(), "of-pod");
  set_label(*set.metadata.mutable_labels(), "kai.scheduler/queue", "of-owner");
  EXPECT_EQ(group_of_pod(pod, {set}).spec().queue(), "of-owner");
}

TEST(PodGrouping, TakesTheClassFromLabelsThenFromThePodsSpecIfItExists) {
  PodBuilder pod("p");
  pod.raw().mutable_spec()->set_priority_class_name("build");
  EXPECT_EQ(group_of_pod(pod, {}).spec().priority_class_name(), "build");
  pod.label("priorityClassName", "inference");
  EXPECT_EQ(group_of_pod(pod, {}).spec().priority_class_name(), "inference");
  pod.label("priorityClassName", "no-such-class");
  EXPECT_EQ(group_of_pod(pod, {}).spec().priority_class_name(), "train");
}

TEST(PodGrouping, TakesPreemptibilityFromALabelIfItIsValid) {
  EXPECT_EQ(group_of_pod(PodBuilder("p").label("kai.scheduler/preemptibility", "preemptible"), {})
                .spec()
                .preemptibility(),
            "preemptible");
  EXPECT_FALSE(group_of_pod(PodBuilder("p").label("kai.scheduler/preemptibility", "maybe"), {})
                   .spec()
                   .has_preemptibility());
}

TEST(PodGrouping, CarriesTheTopologyOfTheTopOwner) {
  OwnerView set = owner("StatefulSet", "set");
  set_label(*set.metadata.mutable_annotations(), "kai.scheduler/topology", "cluster");
  set_label(*set.metadata.mutable_annotations(), "kai.scheduler/topology-required-placement",
            "rack");
  const PodGroup group = group_of_pod(PodBuilder("set-0"), {set});
  EXPECT_EQ(group.spec().topology_constraint().topology(), "cluster");
  EXPECT_EQ(group.spec().topology_constraint().required_topology_level(), "rack");
}

TEST(PodGrouping, TreatsAnUnknownKindAsOneGroup) {
  const PodGroup group = group_of_pod(
      PodBuilder("w"), {owner("SeldonDeployment", "ray", "machinelearning.seldon.io/v1")});
  EXPECT_EQ(group.metadata().name(), "pg-ray-uid-ray");
}

TEST(PodGrouping, KeepsWhatOthersSetInAnExistingGroup) {
  const PodGroup wanted = group_of_pod(lws_pod(0), {leader_worker_set(4)});
  PodGroup is = wanted;
  is.mutable_spec()->set_queue("moved");
  is.mutable_spec()->set_mark_unschedulable(false);
  EXPECT_FALSE(updated_group(is, wanted));
  is.mutable_spec()->set_min_member(1);
  const auto updated = updated_group(is, wanted);
  ASSERT_TRUE(updated);
  EXPECT_EQ(updated->spec().min_member(), 4);
  EXPECT_EQ(updated->spec().queue(), "moved");
  EXPECT_FALSE(updated->spec().mark_unschedulable());
}

}  // namespace
}  // namespace troupe::kai
