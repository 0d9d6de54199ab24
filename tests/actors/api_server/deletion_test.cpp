// Deletion: grace, finalizers, propagation, preconditions.
#include <gtest/gtest.h>

#include "messages/k8s/apps.pb.h"
#include "messages/k8s/core.pb.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;

const api::ObjectKey kPod = key_for<k8s::Pod>("ns/a");

void begin_running(ApiCluster& cluster) {
  cluster.bind(kPod, "n1");
  k8s::Pod running = *cluster.stored<k8s::Pod>("ns/a");
  running.mutable_status()->set_phase("Running");
  cluster.update_status(running);
}

TEST(Deletion, OfAnUnscheduledPodIsImmediate) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  EXPECT_EQ(cluster.remove(kPod).code, 200);
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a"), nullptr);
  EXPECT_TRUE(cluster.remove(kPod).not_found());
}

TEST(Deletion, OfARunningPodWaitsForItsKubelet) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  begin_running(cluster);
  cluster.network.run_for(kTimeZero + 10s - cluster.network.now());
  cluster.remove(kPod);
  const auto leaving = cluster.stored<k8s::Pod>("ns/a");
  ASSERT_NE(leaving, nullptr);
  EXPECT_EQ(leaving->metadata().deletion_timestamp(), to_ns(kTimeZero + 40s));
  EXPECT_EQ(leaving->metadata().deletion_grace_period_seconds(), 30);
  cluster.network.run_for(60s);
  EXPECT_NE(cluster.stored<k8s::Pod>("ns/a"), nullptr) << "nobody but the kubelet ends it";
  cluster.remove(kPod, {.grace_period_seconds = 0});
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a"), nullptr);
}

TEST(Deletion, AShorterGraceBringsTheEndForwardALongerOneDoesNot) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  begin_running(cluster);
  cluster.network.run_for(kTimeZero + 10s - cluster.network.now());
  cluster.remove(kPod);
  cluster.remove(kPod, {.grace_period_seconds = 300});
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a")->metadata().deletion_grace_period_seconds(), 30);
  cluster.remove(kPod, {.grace_period_seconds = 5});
  const auto leaving = cluster.stored<k8s::Pod>("ns/a");
  EXPECT_EQ(leaving->metadata().deletion_grace_period_seconds(), 5);
  EXPECT_EQ(leaving->metadata().deletion_timestamp(), to_ns(kTimeZero + 15s));
}

TEST(Deletion, OfAFinishedPodNeedsNoGrace) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  cluster.bind(kPod, "n1");
  k8s::Pod done = *cluster.stored<k8s::Pod>("ns/a");
  done.mutable_status()->set_phase("Succeeded");
  cluster.update_status(done);
  cluster.remove(kPod);
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a"), nullptr);
}

TEST(Deletion, WaitsForTheLastFinalizer) {
  ApiCluster cluster;
  k8s::Node node;
  node.mutable_metadata()->set_name("n1");
  node.mutable_metadata()->add_finalizers("karpenter.sh/termination");
  cluster.create(node);
  EXPECT_EQ(cluster.remove(key_for<k8s::Node>("n1")).code, 200);
  k8s::Node leaving = *cluster.stored<k8s::Node>("n1");
  EXPECT_TRUE(leaving.metadata().has_deletion_timestamp());
  leaving.mutable_metadata()->clear_finalizers();
  EXPECT_TRUE(cluster.update(leaving).ok());
  EXPECT_EQ(cluster.stored<k8s::Node>("n1"), nullptr);
}

TEST(Deletion, APodsFinalizerOutlastsItsGrace) {
  ApiCluster cluster;
  k8s::Pod held = pod("ns", "a");
  held.mutable_metadata()->add_finalizers("batch.kubernetes.io/job-tracking");
  cluster.create(held);
  begin_running(cluster);
  cluster.remove(kPod);
  cluster.remove(kPod, {.grace_period_seconds = 0});
  ASSERT_NE(cluster.stored<k8s::Pod>("ns/a"), nullptr);
  k8s::Pod partial;
  partial.mutable_metadata()->set_namespace_("ns");
  partial.mutable_metadata()->set_name("a");
  cluster.patch(partial, {.clear = {"metadata.finalizers"}});
  EXPECT_EQ(cluster.stored<k8s::Pod>("ns/a"), nullptr);
}

TEST(Deletion, RefusesANewFinalizerOnWhatIsLeaving) {
  ApiCluster cluster;
  k8s::Node node;
  node.mutable_metadata()->set_name("n1");
  node.mutable_metadata()->add_finalizers("a.io/one");
  cluster.create(node);
  cluster.remove(key_for<k8s::Node>("n1"));
  k8s::Node leaving = *cluster.stored<k8s::Node>("n1");
  leaving.mutable_metadata()->add_finalizers("b.io/two");
  EXPECT_EQ(cluster.update(leaving).code, 422);
}

TEST(Deletion, ForegroundAndOrphanSetTheirFinalizers) {
  ApiCluster cluster;
  for (const std::string name : {"a", "b"}) {
    k8s::ConfigMap map;
    map.mutable_metadata()->set_namespace_("ns");
    map.mutable_metadata()->set_name(name);
    cluster.create(map);
  }
  cluster.remove(key_for<k8s::ConfigMap>("ns/a"), {.propagation = "Foreground"});
  cluster.remove(key_for<k8s::ConfigMap>("ns/b"), {.propagation = "Orphan"});
  EXPECT_EQ(cluster.stored<k8s::ConfigMap>("ns/a")->metadata().finalizers(0), "foregroundDeletion");
  EXPECT_EQ(cluster.stored<k8s::ConfigMap>("ns/b")->metadata().finalizers(0), "orphan");
}

TEST(Deletion, KeepsItsPreconditions) {
  ApiCluster cluster;
  const auto made = cluster.create(pod("ns", "a")).as<k8s::Pod>();
  EXPECT_TRUE(cluster.remove(kPod, {.uid = "another"}).conflict());
  EXPECT_TRUE(cluster.remove(kPod, {.resource_version = "99"}).conflict());
  EXPECT_TRUE(cluster
                  .remove(kPod, {.uid = made->metadata().uid(),
                                 .resource_version = made->metadata().resource_version()})
                  .ok());
}

TEST(Deletion, TellsItsFacts) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  begin_running(cluster);
  cluster.remove(kPod);
  EXPECT_EQ(cluster.network.facts_of<facts::PodDeletionRequested>().size(), 1u);
  EXPECT_TRUE(cluster.network.facts_of<facts::PodDeleted>().empty());
  cluster.remove(kPod, {.grace_period_seconds = 0});
  EXPECT_EQ(cluster.network.facts_of<facts::PodDeleted>().size(), 1u);
}

}  // namespace
}  // namespace troupe::apiserver
