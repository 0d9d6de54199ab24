// PyTorchJobs and RayClusters against a real API server, together with the garbage collector.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/kubeflow.pb.h"
#include "messages/ray.pb.h"
#include "tests/actors/workloads/cluster.h"

namespace troupe::workloads {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

k8s::PodTemplateSpec one_container() {
  k8s::PodTemplateSpec pods;
  k8s::Container& container = *pods.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image("image:1");
  return pods;
}

class NamedPodsTest : public ::testing::Test {
 protected:
  std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto& pod : cluster_.active_pods()) found.push_back(pod->metadata().name());
    return found;
  }
  std::shared_ptr<const k8s::Pod> pod(const std::string& name) {
    return cluster_.stored<k8s::Pod>("default/" + name);
  }
  void end(const std::string& name, const std::string& phase) {
    cluster_.set_pod(*pod(name), phase, false);
    cluster_.network.run_for(2s);
  }
  Cluster cluster_;
};

// ---- PyTorchJob ----

class PyTorchJobTest : public NamedPodsTest {
 protected:
  void create(int workers, const std::string& policy = "OnFailure") {
    kubeflow::PyTorchJob job;
    job.mutable_metadata()->set_namespace_("default");
    job.mutable_metadata()->set_name("train");
    job.mutable_spec()->mutable_run_policy()->set_clean_pod_policy("Running");
    for (const auto& [role, replicas] : {std::pair("Master", 1), std::pair("Worker", workers)}) {
      kubeflow::Role& added = *job.mutable_spec()->add_pytorch_replica_specs();
      added.set_role(role);
      added.mutable_spec()->set_replicas(replicas);
      added.mutable_spec()->set_restart_policy(policy);
      *added.mutable_spec()->mutable_template_() = one_container();
    }
    ASSERT_TRUE(cluster_.create(job).ok());
    cluster_.network.run_for(2s);
  }
  bool is(const std::string& condition) {
    const auto job = cluster_.stored<kubeflow::PyTorchJob>("default/train");
    return is_true(job->status().conditions(), condition);
  }
};

TEST_F(PyTorchJobTest, MakesAMasterAndWorkersWithTheLabelsOfTheirRoles) {
  create(2);
  EXPECT_THAT(names(), UnorderedElementsAre("train-master-0", "train-worker-0", "train-worker-1"));
  const LabelMap& labels = pod("train-worker-1")->metadata().labels();
  EXPECT_EQ(label_or(labels, "training.kubeflow.org/replica-type"), "worker");
  EXPECT_EQ(label_or(labels, "training.kubeflow.org/replica-index"), "1");
  EXPECT_TRUE(is("Created"));
  EXPECT_FALSE(is("Running"));
  cluster_.run_all_pods();
  EXPECT_TRUE(is("Running"));
}

TEST_F(PyTorchJobTest, SucceedsWithItsMasterAndCleansUpWhatStillRuns) {
  create(1);
  cluster_.run_all_pods();
  end("train-master-0", "Succeeded");
  EXPECT_TRUE(is("Succeeded"));
  EXPECT_FALSE(is("Running"));
  cluster_.end_deleted_pods();
  EXPECT_EQ(pod("train-worker-0"), nullptr);
  EXPECT_NE(pod("train-master-0"), nullptr);
}

TEST_F(PyTorchJobTest, ReplacesAPodThatFailedWhereItsPolicySaysSo) {
  create(1);
  cluster_.run_all_pods();
  const std::string before = pod("train-worker-0")->metadata().uid();
  end("train-worker-0", "Failed");
  cluster_.end_deleted_pods();
  cluster_.network.run_for(2s);
  ASSERT_NE(pod("train-worker-0"), nullptr);
  EXPECT_NE(pod("train-worker-0")->metadata().uid(), before);
  EXPECT_FALSE(is("Failed"));
}

TEST_F(PyTorchJobTest, FailsWithAPodThatIsNeverToRestart) {
  create(1, "Never");
  cluster_.run_all_pods();
  end("train-worker-0", "Failed");
  EXPECT_TRUE(is("Failed"));
  EXPECT_FALSE(is("Running"));
}

TEST_F(PyTorchJobTest, GoesWithItsPods) {
  create(2);
  const auto job = cluster_.stored<kubeflow::PyTorchJob>("default/train");
  cluster_.remove(key_of(*job), {});
  cluster_.network.run_for(5s);
  cluster_.end_deleted_pods();
  EXPECT_THAT(names(), IsEmpty());
}

// ---- RayCluster ----

class RayClusterTest : public NamedPodsTest {
 protected:
  void create(int replicas, int hosts = 1) {
    ray::RayCluster cluster;
    cluster.mutable_metadata()->set_namespace_("default");
    cluster.mutable_metadata()->set_name("ray");
    *cluster.mutable_spec()->mutable_head_group_spec()->mutable_template_() = one_container();
    ray::WorkerGroupSpec& group = *cluster.mutable_spec()->add_worker_group_specs();
    group.set_group_name("gpu");
    group.set_replicas(replicas);
    group.set_max_replicas(4);
    group.set_num_of_hosts(hosts);
    *group.mutable_template_() = one_container();
    ASSERT_TRUE(cluster_.create(cluster).ok());
    cluster_.network.run_for(2s);
  }
  std::shared_ptr<const ray::RayCluster> stored() {
    return cluster_.stored<ray::RayCluster>("default/ray");
  }
};

TEST_F(RayClusterTest, MakesAHeadAndTheHostsOfItsWorkers) {
  create(2, 2);
  EXPECT_THAT(names(), UnorderedElementsAre("ray-head", "ray-gpu-worker-0", "ray-gpu-worker-1",
                                            "ray-gpu-worker-2", "ray-gpu-worker-3"));
  EXPECT_EQ(label_or(pod("ray-head")->metadata().labels(), "ray.io/group"), "headgroup");
  EXPECT_EQ(label_or(pod("ray-gpu-worker-0")->metadata().labels(), "ray.io/group"), "gpu");
  EXPECT_NE(stored()->status().state(), "ready");
  cluster_.run_all_pods();
  EXPECT_EQ(stored()->status().state(), "ready");
  EXPECT_EQ(stored()->status().ready_worker_replicas(), 4);
  EXPECT_TRUE(is_true(stored()->status().conditions(), "RayClusterProvisioned"));
}

TEST_F(RayClusterTest, KeepsWithinTheGroupsBoundsAndFollowsItsNumber) {
  create(9);
  EXPECT_EQ(names().size(), 5U);
  ray::RayCluster fewer = *stored();
  fewer.mutable_spec()->mutable_worker_group_specs(0)->set_replicas(1);
  ASSERT_TRUE(cluster_.update(std::move(fewer)).ok());
  cluster_.network.run_for(2s);
  EXPECT_THAT(names(), UnorderedElementsAre("ray-head", "ray-gpu-worker-0"));
}

TEST_F(RayClusterTest, ReplacesAPodThatHasEnded) {
  create(1);
  cluster_.run_all_pods();
  const std::string before = pod("ray-gpu-worker-0")->metadata().uid();
  end("ray-gpu-worker-0", "Failed");
  cluster_.end_deleted_pods();
  cluster_.network.run_for(2s);
  ASSERT_NE(pod("ray-gpu-worker-0"), nullptr);
  EXPECT_NE(pod("ray-gpu-worker-0")->metadata().uid(), before);
}

TEST_F(RayClusterTest, HasNoPodsWhileItIsSuspended) {
  create(1);
  ray::RayCluster suspended = *stored();
  suspended.mutable_spec()->set_suspend(true);
  ASSERT_TRUE(cluster_.update(std::move(suspended)).ok());
  cluster_.network.run_for(2s);
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(stored()->status().state(), "suspended");
}

// ---- StatefulSet ----

class StatefulSetTest : public NamedPodsTest {
 protected:
  void create(int replicas, const std::string& policy) {
    k8s::StatefulSet set;
    set.mutable_metadata()->set_namespace_("default");
    set.mutable_metadata()->set_name("db");
    set.mutable_spec()->set_replicas(replicas);
    set.mutable_spec()->set_service_name("db");
    set.mutable_spec()->set_pod_management_policy(policy);
    *set.mutable_spec()->mutable_template_() = one_container();
    LabelMap labels;
    set_label(labels, "app", "db");
    *set.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels() = labels;
    *set.mutable_spec()->mutable_selector()->mutable_match_labels() = labels;
    ASSERT_TRUE(cluster_.create(set).ok());
    cluster_.network.run_for(2s);
  }
  std::shared_ptr<const k8s::StatefulSet> stored() {
    return cluster_.stored<k8s::StatefulSet>("default/db");
  }
  void change(const std::function<void(k8s::StatefulSetSpec&)>& edit) {
    k8s::StatefulSet set = *stored();
    edit(*set.mutable_spec());
    ASSERT_TRUE(cluster_.update(std::move(set)).ok());
    cluster_.network.run_for(2s);
  }
  void run() {
    cluster_.run_all_pods();
    cluster_.network.run_for(2s);
  }
};

TEST_F(StatefulSetTest, MakesEachPodWhenThoseBeforeItAreReady) {
  create(3, "OrderedReady");
  EXPECT_THAT(names(), UnorderedElementsAre("db-0"));
  run();
  EXPECT_THAT(names(), UnorderedElementsAre("db-0", "db-1"));
  run();
  run();
  EXPECT_THAT(names(), UnorderedElementsAre("db-0", "db-1", "db-2"));
  EXPECT_EQ(stored()->status().ready_replicas(), 3);
}

TEST_F(StatefulSetTest, MakesAllPodsAtOnceWhereTheyAreParallel) {
  create(3, "Parallel");
  EXPECT_THAT(names(), UnorderedElementsAre("db-0", "db-1", "db-2"));
}

TEST_F(StatefulSetTest, TakesTheHighestAwayFirst) {
  create(3, "OrderedReady");
  for (int pods = 0; pods < 3; ++pods) run();
  change([](k8s::StatefulSetSpec& spec) { spec.set_replicas(1); });
  EXPECT_THAT(names(), UnorderedElementsAre("db-0", "db-1"));
  cluster_.end_deleted_pods();
  cluster_.network.run_for(2s);
  EXPECT_THAT(names(), UnorderedElementsAre("db-0"));
}

TEST_F(StatefulSetTest, ReplacesOutdatedPodsFromTheHighestDown) {
  create(2, "Parallel");
  run();
  const std::string lower = pod("db-0")->metadata().uid();
  const std::string higher = pod("db-1")->metadata().uid();
  change([](k8s::StatefulSetSpec& spec) {
    spec.mutable_template_()->mutable_spec()->mutable_containers(0)->set_image("image:2");
  });
  cluster_.end_deleted_pods();
  cluster_.network.run_for(2s);
  ASSERT_NE(pod("db-1"), nullptr);
  EXPECT_NE(pod("db-1")->metadata().uid(), higher);
  EXPECT_EQ(pod("db-0")->metadata().uid(), lower);
  EXPECT_FALSE(pod("db-0")->metadata().has_deletion_timestamp());
  run();
  EXPECT_TRUE(pod("db-0")->metadata().has_deletion_timestamp());
}

}  // namespace
}  // namespace troupe::workloads
