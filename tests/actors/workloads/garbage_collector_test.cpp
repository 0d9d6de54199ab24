// What is deleted along with its owner, when, and what is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/objects/owners.h"
#include "messages/kai.pb.h"
#include "tests/actors/workloads/node_cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GarbageCollectorTest : public ::testing::Test {
 protected:
  void deploy(int replicas) {
    cluster_.create(deployment("web", replicas));
    cluster_.network.run_for(2s);
    cluster_.run_all_pods();
  }
  void remove_deployment(const std::string& propagation) {
    ASSERT_TRUE(
        cluster_.remove(key_for<k8s::Deployment>("default/web"), {.propagation = propagation})
            .ok());
    cluster_.network.run_for(3s);
  }
  std::shared_ptr<const k8s::Deployment> web() {
    return cluster_.stored<k8s::Deployment>("default/web");
  }
  std::size_t leaving_pods() { return cluster_.pods().size() - cluster_.active_pods().size(); }
  /// A pod with references to those owners.
  void create_owned(const std::string& name, const std::vector<k8s::OwnerReference>& owners) {
    k8s::Pod pod = troupe::testing::pod("default", name);
    for (const auto& owner : owners) *pod.mutable_metadata()->add_owner_references() = owner;
    ASSERT_TRUE(cluster_.create(std::move(pod)).ok());
    cluster_.network.run_for(2s);
  }
  template <class T>
  k8s::OwnerReference reference_to(const std::string& path, bool controller = false) {
    k8s::OwnerReference reference = controller_reference(*cluster_.stored<T>(path));
    reference.set_controller(controller);
    return reference;
  }
  static k8s::OwnerReference reference(const std::string& kind, const std::string& name,
                                       const std::string& api_version = "v1") {
    k8s::OwnerReference result;
    result.set_api_version(api_version);
    result.set_kind(kind);
    result.set_name(name);
    result.set_uid("uid-" + name);
    return result;
  }
  void create_config_map(const std::string& name) {
    k8s::ConfigMap map;
    map.mutable_metadata()->set_name(name);
    map.mutable_metadata()->set_namespace_("default");
    ASSERT_TRUE(cluster_.create(std::move(map)).ok());
  }

  Cluster cluster_{NodeCluster::quick()};
};

TEST_F(GarbageCollectorTest, InTheBackgroundADeploymentGoesAtOnceAndTheRestFollows) {
  deploy(3);
  remove_deployment("Background");
  EXPECT_EQ(web(), nullptr);
  EXPECT_THAT(cluster_.all<k8s::ReplicaSet>(), IsEmpty());
  EXPECT_EQ(leaving_pods(), 3U);
  EXPECT_THAT(cluster_.active_pods(), IsEmpty());
  cluster_.end_deleted_pods();
  EXPECT_THAT(cluster_.pods(), IsEmpty());
}

TEST_F(GarbageCollectorTest, InTheForegroundEachWaitsForWhatItOwns) {
  deploy(2);
  remove_deployment("Foreground");
  ASSERT_NE(web(), nullptr);
  EXPECT_TRUE(web()->metadata().has_deletion_timestamp());
  ASSERT_THAT(cluster_.all<k8s::ReplicaSet>(), SizeIs(1));
  EXPECT_TRUE(cluster_.all<k8s::ReplicaSet>()[0]->metadata().has_deletion_timestamp());
  EXPECT_EQ(leaving_pods(), 2U);
  cluster_.remove(key_of(*cluster_.pods()[0]), {.grace_period_seconds = 0});
  cluster_.network.run_for(3s);
  EXPECT_NE(web(), nullptr);
  EXPECT_THAT(cluster_.all<k8s::ReplicaSet>(), SizeIs(1));
  cluster_.end_deleted_pods();
  cluster_.network.run_for(3s);
  EXPECT_THAT(cluster_.all<k8s::ReplicaSet>(), IsEmpty());
  EXPECT_EQ(web(), nullptr);
}

TEST_F(GarbageCollectorTest, OrphansStayAndForgetTheirOwner) {
  deploy(2);
  remove_deployment("Orphan");
  EXPECT_EQ(web(), nullptr);
  const auto sets = cluster_.all<k8s::ReplicaSet>();
  ASSERT_THAT(sets, SizeIs(1));
  EXPECT_THAT(sets[0]->metadata().owner_references(), IsEmpty());
  ASSERT_THAT(cluster_.active_pods(), SizeIs(2));
  EXPECT_EQ(controller_uid(cluster_.active_pods()[0]->metadata()), sets[0]->metadata().uid());
}

TEST_F(GarbageCollectorTest, AnotherOwnerOfTheSameNameIsNotTheOwner) {
  cluster_.create(replica_set("web", 0));
  k8s::OwnerReference stale = reference_to<k8s::ReplicaSet>("default/web");
  stale.set_uid("an older life of it");
  create_owned("a", {stale});
  EXPECT_THAT(cluster_.pods(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnObjectWithAnotherOwnerOnlyForgetsTheOneThatIsGone) {
  cluster_.create(replica_set("one", 0));
  cluster_.create(replica_set("two", 0));
  create_owned("a", {reference_to<k8s::ReplicaSet>("default/one"),
                     reference_to<k8s::ReplicaSet>("default/two")});
  cluster_.remove(key_for<k8s::ReplicaSet>("default/one"));
  cluster_.network.run_for(2s);
  const auto pod = cluster_.stored<k8s::Pod>("default/a");
  ASSERT_NE(pod, nullptr);
  ASSERT_THAT(pod->metadata().owner_references(), SizeIs(1));
  EXPECT_EQ(pod->metadata().owner_references(0).name(), "two");
  cluster_.remove(key_for<k8s::ReplicaSet>("default/two"));
  cluster_.network.run_for(2s);
  EXPECT_EQ(cluster_.stored<k8s::Pod>("default/a"), nullptr);
}

TEST_F(GarbageCollectorTest, AnOwnerThatNeverWasIsNoOwner) {
  create_owned("a", {reference("ConfigMap", "nowhere")});
  EXPECT_THAT(cluster_.pods(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnOwnerThatNobodyWatchesIsAskedFor) {
  create_config_map("settings");
  create_owned("a", {reference_to<k8s::ConfigMap>("default/settings")});
  cluster_.network.run_for(60s);
  EXPECT_THAT(cluster_.pods(), SizeIs(1));
  cluster_.remove(key_for<k8s::ConfigMap>("default/settings"));
  cluster_.network.run_for(200s);
  EXPECT_THAT(cluster_.pods(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnOwnerOfAForeignKindCountsAsBeingThere) {
  create_owned("a", {reference("Workflow", "train", "argoproj.io/v1alpha1")});
  create_owned("b", {reference("Job", "gang", "batch.volcano.sh/v1alpha1")});
  cluster_.network.run_for(60s);
  EXPECT_THAT(cluster_.pods(), SizeIs(2));
}

TEST_F(GarbageCollectorTest, AnOwnerOfAForeignKindKeepsWhatAnotherHasLeft) {
  cluster_.create(replica_set("one", 0));
  create_owned("a", {reference_to<k8s::ReplicaSet>("default/one"),
                     reference("Job", "gang", "batch.volcano.sh/v1alpha1")});
  cluster_.remove(key_for<k8s::ReplicaSet>("default/one"));
  cluster_.network.run_for(2s);
  ASSERT_THAT(cluster_.pods(), SizeIs(1));
  ASSERT_THAT(cluster_.pods()[0]->metadata().owner_references(), SizeIs(1));
  EXPECT_EQ(cluster_.pods()[0]->metadata().owner_references(0).name(), "gang");
}

TEST_F(GarbageCollectorTest, PodGroupsFollowTheirOwnersToo) {
  cluster_.create(replica_set("web", 0));
  kai::PodGroup group;
  group.mutable_metadata()->set_name("gang");
  group.mutable_metadata()->set_namespace_("default");
  *group.mutable_metadata()->add_owner_references() = reference_to<k8s::ReplicaSet>("default/web");
  ASSERT_TRUE(cluster_.create(std::move(group)).ok());
  cluster_.network.run_for(2s);
  EXPECT_THAT(cluster_.all<kai::PodGroup>(), SizeIs(1));
  cluster_.remove(key_for<k8s::ReplicaSet>("default/web"));
  cluster_.network.run_for(2s);
  EXPECT_THAT(cluster_.all<kai::PodGroup>(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ACrashInTheMiddleOfACascadeIsTakenUpAgain) {
  deploy(20);
  cluster_.network.pause(kManager);
  cluster_.remove(key_for<k8s::Deployment>("default/web"), {.propagation = "Background"});
  cluster_.network.crash(kManager);
  cluster_.network.resume(kManager);
  EXPECT_THAT(cluster_.active_pods(), SizeIs(20));
  cluster_.network.restart(kManager);
  cluster_.network.run_for(5s);
  EXPECT_THAT(cluster_.all<k8s::ReplicaSet>(), IsEmpty());
  EXPECT_THAT(cluster_.active_pods(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ADependentThatIsAdoptedMeanwhileIsSpared) {
  cluster_.create(replica_set("one", 0));
  cluster_.create(replica_set("two", 0));
  create_owned("a", {reference_to<k8s::ReplicaSet>("default/one")});
  // The collector does not hear of the adoption before it has decided.
  cluster_.network.latency = [](const auto& wire) {
    const bool of_pod = wire.what.template as<api::WatchEvent>() != nullptr &&
                        !wire.what.attachments().empty() &&
                        wire.what.attachments()[0].template as<k8s::Pod>() != nullptr;
    return of_pod ? Duration(30s) : Duration(1ms);
  };
  k8s::Pod adopted = *cluster_.stored<k8s::Pod>("default/a");
  adopted.mutable_metadata()->clear_owner_references();
  *adopted.mutable_metadata()->add_owner_references() =
      reference_to<k8s::ReplicaSet>("default/two");
  ASSERT_TRUE(cluster_.update(std::move(adopted)).ok());
  cluster_.remove(key_for<k8s::ReplicaSet>("default/one"));
  cluster_.network.run_for(60s);
  EXPECT_NE(cluster_.stored<k8s::Pod>("default/a"), nullptr);
}

TEST_F(GarbageCollectorTest, AThousandDependentsAskForTheirOwnerOnce) {
  cluster_.create(replica_set("web", 1000));
  cluster_.network.run_for(20s);
  ASSERT_THAT(cluster_.pods(), SizeIs(1000));
  cluster_.remove(key_for<k8s::ReplicaSet>("default/web"));
  const std::size_t before = cluster_.network.sent("ApiRequest");
  cluster_.network.run_for(20s);
  // Reading and deleting each; no more than a few beside.
  EXPECT_LT(cluster_.network.sent("ApiRequest") - before, 2'020U);
  EXPECT_THAT(cluster_.pods(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AJobThatEndedLongAgoGoesWithItsPods) {
  k8s::Job job;
  job.mutable_metadata()->set_name("train");
  job.mutable_metadata()->set_namespace_("default");
  job.mutable_spec()->set_ttl_seconds_after_finished(10);
  *job.mutable_spec()->mutable_template_() = pod_template();
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("Never");
  ASSERT_TRUE(cluster_.create(std::move(job)).ok());
  cluster_.network.run_for(2s);
  ASSERT_THAT(cluster_.pods(), SizeIs(1));
  cluster_.run_pod(*cluster_.pods()[0]);
  cluster_.set_pod(*cluster_.pods()[0], "Succeeded", false);
  cluster_.network.run_for(8s);
  EXPECT_THAT(cluster_.pods(), SizeIs(1));
  cluster_.network.run_for(8s);
  EXPECT_THAT(cluster_.pods(), IsEmpty());
  EXPECT_THAT(cluster_.all<k8s::Job>(), IsEmpty());
}

}  // namespace
}  // namespace troupe::workloads
