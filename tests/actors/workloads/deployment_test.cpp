// The Deployment controller together with ReplicaSets and a real API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/workloads/deployment/replica_sets.h"
#include "tests/actors/workloads/cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::SizeIs;

class DeploymentTest : public ::testing::Test {
 protected:
  std::shared_ptr<const k8s::Deployment> stored() {
    return cluster_.stored<k8s::Deployment>("default/web");
  }
  std::string reason(std::string_view condition) {
    const k8s::Condition* found = find_condition(stored()->status().conditions(), condition);
    return found == nullptr ? "" : found->reason();
  }
  void change(const std::function<void(k8s::DeploymentSpec&)>& edit) {
    k8s::Deployment updated = *stored();
    edit(*updated.mutable_spec());
    ASSERT_TRUE(cluster_.update(std::move(updated)).ok());
    cluster_.network.run_for(2s);
  }
  /// Lets pods come up and go away until nothing moves any more; the most and the fewest pods on
  /// the way.
  std::pair<std::size_t, std::size_t> roll() {
    std::size_t most = 0;
    std::size_t fewest_ready = 1000;
    for (int i = 0; i < 30; ++i) {
      most = std::max(most, cluster_.active_pods().size());
      std::size_t ready = 0;
      for (const auto& pod : cluster_.active_pods())
        ready += is_true(pod->status().conditions(), "Ready") ? 1 : 0;
      fewest_ready = std::min(fewest_ready, ready);
      cluster_.run_all_pods();
      cluster_.end_deleted_pods();
    }
    return {most, fewest_ready};
  }
  Cluster cluster_;
};

TEST_F(DeploymentTest, MakesAReplicaSetWithTheTemplatesHash) {
  cluster_.create(deployment("web", 3));
  cluster_.network.run_for(3s);
  const auto sets = cluster_.all<k8s::ReplicaSet>();
  ASSERT_THAT(sets, SizeIs(1));
  const std::string hash(label_or(sets[0]->metadata().labels(), "pod-template-hash"));
  EXPECT_EQ(sets[0]->metadata().name(), "web-" + hash);
  EXPECT_EQ(revision_of(*sets[0]), 1);
  ASSERT_THAT(cluster_.pods(), SizeIs(3));
  EXPECT_EQ(label_or(cluster_.pods()[0]->metadata().labels(), "pod-template-hash"), hash);
  EXPECT_EQ(reason("Progressing"), "ReplicaSetUpdated");
  cluster_.run_all_pods();
  cluster_.network.run_for(2s);
  EXPECT_EQ(stored()->status().available_replicas(), 3);
  EXPECT_EQ(reason("Progressing"), "NewReplicaSetAvailable");
  EXPECT_EQ(reason("Available"), "MinimumReplicasAvailable");
}

TEST_F(DeploymentTest, ARollingUpdateKeepsWithinItsFences) {
  k8s::Deployment web = deployment("web", 4);
  web.mutable_spec()->mutable_strategy()->mutable_rolling_update()->set_max_surge("1");
  web.mutable_spec()->mutable_strategy()->mutable_rolling_update()->set_max_unavailable("1");
  cluster_.create(std::move(web));
  cluster_.network.run_for(2s);
  cluster_.run_all_pods();
  change([](k8s::DeploymentSpec& spec) { *spec.mutable_template_() = pod_template("web:2"); });
  const auto [most, fewest_ready] = roll();
  EXPECT_LE(most, 5U);
  EXPECT_GE(fewest_ready, 3U);
  EXPECT_EQ(stored()->status().updated_replicas(), 4);
  EXPECT_EQ(stored()->status().replicas(), 4);
  for (const auto& pod : cluster_.active_pods())
    EXPECT_EQ(pod->spec().containers(0).image(), "web:2");
  EXPECT_THAT(cluster_.all<k8s::ReplicaSet>(), SizeIs(2));
  EXPECT_EQ(reason("Progressing"), "NewReplicaSetAvailable");
}

TEST_F(DeploymentTest, ScalesItsReplicaSet) {
  cluster_.create(deployment("web", 2));
  cluster_.network.run_for(2s);
  change([](k8s::DeploymentSpec& spec) { spec.set_replicas(5); });
  EXPECT_THAT(cluster_.active_pods(), SizeIs(5));
  EXPECT_THAT(cluster_.event_reasons("Deployment/default/web"), Contains("ScalingReplicaSet"));
  change([](k8s::DeploymentSpec& spec) { spec.set_replicas(0); });
  EXPECT_THAT(cluster_.active_pods(), SizeIs(0));
}

TEST_F(DeploymentTest, RecreateHasNoTwoVersionsAtOnce) {
  k8s::Deployment web = deployment("web", 2);
  web.mutable_spec()->mutable_strategy()->set_type("Recreate");
  cluster_.create(std::move(web));
  cluster_.network.run_for(2s);
  cluster_.run_all_pods();
  change([](k8s::DeploymentSpec& spec) { *spec.mutable_template_() = pod_template("web:2"); });
  EXPECT_THAT(cluster_.active_pods(), SizeIs(0));
  EXPECT_THAT(cluster_.pods(), SizeIs(2));  // the old ones are ending
  cluster_.end_deleted_pods();
  cluster_.network.run_for(3s);
  ASSERT_THAT(cluster_.active_pods(), SizeIs(2));
  EXPECT_EQ(cluster_.active_pods()[0]->spec().containers(0).image(), "web:2");
}

TEST_F(DeploymentTest, GoingBackMakesTheOldSetTheNewestRevision) {
  cluster_.create(deployment("web", 1));
  cluster_.network.run_for(2s);
  change([](k8s::DeploymentSpec& spec) { *spec.mutable_template_() = pod_template("web:2"); });
  roll();
  change([](k8s::DeploymentSpec& spec) { *spec.mutable_template_() = pod_template("web:1"); });
  roll();
  const auto sets = cluster_.all<k8s::ReplicaSet>();
  ASSERT_THAT(sets, SizeIs(2));
  for (const auto& set : sets) {
    const bool first = set->spec().template_().spec().containers(0).image() == "web:1";
    EXPECT_EQ(revision_of(*set), first ? 3 : 2);
    EXPECT_EQ(replicas_of(*set), first ? 1 : 0);
  }
}

TEST_F(DeploymentTest, APausedOneScalesButDoesNotRollOut) {
  cluster_.create(deployment("web", 2));
  cluster_.network.run_for(2s);
  change([](k8s::DeploymentSpec& spec) {
    spec.set_paused(true);
    *spec.mutable_template_() = pod_template("web:2");
  });
  EXPECT_THAT(cluster_.all<k8s::ReplicaSet>(), SizeIs(1));
  change([](k8s::DeploymentSpec& spec) { spec.set_replicas(3); });
  EXPECT_THAT(cluster_.active_pods(), SizeIs(3));
}

}  // namespace
}  // namespace troupe::workloads
