// What KAI's pod-grouper makes of each kind of owner: its name, minimum and sub-groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/kai/names.h"
#include "actors/kai/pod_grouping.h"
#include "messages/jobset.pb.h"
#include "messages/kubeflow.pb.h"
#include "messages/labels.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kai {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using troupe::testing::PodBuilder;

template <class T>
OwnerView owner_of(T object, std::string api_version, std::string kind, std::string name) {
  object.mutable_metadata()->set_name(name);
  object.mutable_metadata()->set_namespace_("default");
  object.mutable_metadata()->set_uid("uid");
  OwnerView view{std::move(api_version), std::move(kind), object.metadata()};
  view.object = Payload::of(std::move(object));
  return view;
}

OwnerView unmodelled(std::string api_version, std::string kind, std::string name) {
  OwnerView view = owner_of(PodGroup(), std::move(api_version), std::move(kind), std::move(name));
  view.object = {};
  return view;
}

class GroupingPlugins : public ::testing::Test {
 protected:
  GroupingPlugins() {
    options_.class_exists = [](const std::string& name) { return shipped_class(name).has_value(); };
    options_.ray_cluster = [this](const std::string& path) {
      return path == "default/ray" ? cluster_ : nullptr;
    };
    options_.pod_gang = [this](const std::string& path) {
      return path == "default/gang" ? gang_ : nullptr;
    };
    options_.has_launcher = [this](const std::string&) { return launched_; };
  }
  Result<Grouping> group(const PodBuilder& pod, const std::vector<OwnerView>& owners) {
    return group_pod(*pod.share(), owners, options_);
  }
  /// "name:minimum", with "<parent" where it has one.
  static std::vector<std::string> parts(const Grouping& grouping) {
    std::vector<std::string> texts;
    for (const SubGroup& part : grouping.group.spec().sub_groups()) {
      texts.push_back(part.name() + ":" + std::to_string(part.min_member()) +
                      (part.has_parent() ? "<" + part.parent() : ""));
    }
    return texts;
  }

  GroupingOptions options_;
  std::shared_ptr<ray::RayCluster> cluster_ = std::make_shared<ray::RayCluster>();
  std::shared_ptr<grove::PodGang> gang_ = std::make_shared<grove::PodGang>();
  bool launched_ = false;
};

// ---- JobSet ----

OwnerView job_set(const std::string& order) {
  jobset::JobSet set;
  for (const auto& [name, replicas, parallelism, completions] :
       {std::tuple("driver", 1, 1, 1), std::tuple("workers", 2, 4, 3)}) {
    jobset::ReplicatedJob& job = *set.mutable_spec()->add_replicated_jobs();
    job.set_name(name);
    job.set_replicas(replicas);
    job.mutable_template_()->mutable_spec()->set_parallelism(parallelism);
    job.mutable_template_()->mutable_spec()->set_completions(completions);
  }
  if (!order.empty()) {
    set.mutable_spec()->mutable_startup_policy()->set_startup_policy_order(order);
  }
  return owner_of(set, "jobset.x-k8s.io/v1alpha2", "JobSet", "js");
}

TEST_F(GroupingPlugins, MakesAGangOfEachReplicatedJobWhereTheyStartInOrder) {
  PodBuilder pod("p");
  pod.label("jobset.sigs.k8s.io/replicatedjob-name", "workers");
  for (const std::string order : {"", "InOrder"}) {
    const auto made = group(pod, {job_set(order)});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->group.metadata().name(), "pg-js-uid-workers");
    EXPECT_EQ(made->group.spec().min_member(), 6);
  }
}

TEST_F(GroupingPlugins, MakesOneGangOfAJobSetThatStartsInAnyOrder) {
  const auto made = group(PodBuilder("p"), {job_set("AnyOrder")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->group.metadata().name(), "pg-js-uid");
  EXPECT_EQ(made->group.spec().min_member(), 7);
}

TEST_F(GroupingPlugins, LetsTheJobSetOfATrainJobDecideWithTheTrainJobsQueue) {
  OwnerView train = unmodelled("trainer.kubeflow.org/v1alpha1", "TrainJob", "train");
  set_label(*train.metadata.mutable_labels(), "kai.scheduler/queue", "research");
  const auto made = group(PodBuilder("p"), {job_set("AnyOrder"), train});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->group.metadata().name(), "pg-js-uid");
  EXPECT_EQ(made->group.spec().queue(), "research");
}

// ---- the training operator ----

kubeflow::PyTorchJob pytorch_job(int workers) {
  kubeflow::PyTorchJob job;
  for (const auto& [role, replicas] : {std::pair("Master", 1), std::pair("Worker", workers)}) {
    kubeflow::Role& added = *job.mutable_spec()->add_pytorch_replica_specs();
    added.set_role(role);
    added.mutable_spec()->set_replicas(replicas);
  }
  return job;
}

OwnerView pytorch_owner(kubeflow::PyTorchJob job) {
  return owner_of(std::move(job), "kubeflow.org/v1", "PyTorchJob", "pt");
}

PodBuilder pytorch_worker(int index) {
  PodBuilder pod("pt-worker-" + std::to_string(index));
  pod.label("training.kubeflow.org/replica-type", "worker");
  pod.label("training.kubeflow.org/replica-index", std::to_string(index));
  return pod;
}

TEST_F(GroupingPlugins, SplitsAPyTorchJobIntoMasterAndWorkers) {
  const auto made = group(pytorch_worker(0), {pytorch_owner(pytorch_job(3))});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->group.spec().min_member(), 4);
  EXPECT_THAT(parts(*made), ElementsAre("master:1", "worker:3"));
  EXPECT_EQ(made->sub_group, "worker");
}

TEST_F(GroupingPlugins, TakesTheMinimumFromTheSchedulingPolicyThenFromTheElasticPolicy) {
  kubeflow::PyTorchJob job = pytorch_job(3);
  job.mutable_spec()->mutable_elastic_policy()->set_min_replicas(2);
  EXPECT_EQ(group(pytorch_worker(0), {pytorch_owner(job)})->group.spec().min_member(), 2);
  job.mutable_spec()->mutable_run_policy()->mutable_scheduling_policy()->set_min_available(3);
  EXPECT_EQ(group(pytorch_worker(0), {pytorch_owner(job)})->group.spec().min_member(), 3);
}

TEST_F(GroupingPlugins, PutsWorkersIntoSegmentsByTheirIndex) {
  kubeflow::PyTorchJob job = pytorch_job(4);
  auto& annotations = *job.mutable_spec()
                           ->mutable_pytorch_replica_specs(1)
                           ->mutable_spec()
                           ->mutable_template_()
                           ->mutable_metadata()
                           ->mutable_annotations();
  set_label(annotations, "kai.scheduler/segment-size", "2");
  set_label(annotations, "kai.scheduler/topology", "cluster");
  set_label(annotations, "kai.scheduler/segment-topology-required-placement", "rack");
  const auto made = group(pytorch_worker(3), {pytorch_owner(job)});
  ASSERT_TRUE(made);
  EXPECT_THAT(parts(*made),
              ElementsAre("master:1", "worker:4", "worker-0:2<worker", "worker-1:2<worker"));
  EXPECT_EQ(made->sub_group, "worker-1");
  EXPECT_EQ(made->group.spec().sub_groups(3).topology_constraint().required_topology_level(),
            "rack");
}

TEST_F(GroupingPlugins, RefusesASegmentSizeThatIsNoNumber) {
  PodBuilder pod = pytorch_worker(0);
  set_label(*pod.raw().mutable_metadata()->mutable_annotations(), "kai.scheduler/segment-size",
            "two");
  const auto made = group(pod, {pytorch_owner(pytorch_job(2))});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("invalid segment size two"));
}

TEST_F(GroupingPlugins, LeavesOutTheLauncherOfAnMpiJobUntilItIsThere) {
  kubeflow::MPIJob job;
  for (const auto& [role, replicas] : {std::pair("Launcher", 1), std::pair("Worker", 2)}) {
    kubeflow::Role& added = *job.mutable_spec()->add_mpi_replica_specs();
    added.set_role(role);
    added.mutable_spec()->set_replicas(replicas);
  }
  const auto minimum = [&] {
    const OwnerView view = owner_of(job, "kubeflow.org/v2beta1", "MPIJob", "mpi");
    return group(PodBuilder("p"), {view})->group.spec().min_member();
  };
  EXPECT_EQ(minimum(), 3);
  job.mutable_spec()->set_launcher_creation_policy("WaitForWorkersReady");
  EXPECT_EQ(minimum(), 2);
  launched_ = true;
  EXPECT_EQ(minimum(), 3);
}

// ---- Ray ----

TEST_F(GroupingPlugins, MakesAGangOfARayClusterWithAPartForEachGroupOfWorkers) {
  auto& groups = *cluster_->mutable_spec()->mutable_worker_group_specs();
  for (const auto& [name, replicas, minimum, hosts] :
       {std::tuple("small", 3, 0, 1), std::tuple("big", 4, 2, 2), std::tuple("none", 0, 0, 1)}) {
    ray::WorkerGroupSpec& workers = *groups.Add();
    workers.set_group_name(name);
    workers.set_replicas(replicas);
    workers.set_min_replicas(minimum);
    workers.set_num_of_hosts(hosts);
  }
  PodBuilder pod("p");
  pod.label("ray.io/group", "big");
  const auto made = group(pod, {owner_of(*cluster_, "ray.io/v1", "RayCluster", "ray")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->group.spec().min_member(), 8);
  EXPECT_THAT(parts(*made), ElementsAre("headgroup:1", "small:3", "big:4"));
  EXPECT_EQ(made->sub_group, "big");
}

TEST_F(GroupingPlugins, RefusesARayClusterThatWantsMoreAtLeastThanItHas) {
  ray::WorkerGroupSpec& workers = *cluster_->mutable_spec()->add_worker_group_specs();
  workers.set_replicas(1);
  workers.set_min_replicas(2);
  const auto made = group(PodBuilder("p"), {owner_of(*cluster_, "ray.io/v1", "RayCluster", "ray")});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("can't be less than minReplicas"));
}

TEST_F(GroupingPlugins, GroupsARayJobByTheClusterThatItMade) {
  const OwnerView below = owner_of(*cluster_, "ray.io/v1", "RayCluster", "ray");
  ray::RayJob job;
  EXPECT_FALSE(group(PodBuilder("p"), {below, owner_of(job, "ray.io/v1", "RayJob", "rj")}));
  job.mutable_status()->set_ray_cluster_name("ray");
  const auto made = group(PodBuilder("p"), {below, owner_of(job, "ray.io/v1", "RayJob", "rj")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->group.metadata().name(), "pg-rj-uid");
}

// ---- Grove and Dynamo ----

TEST_F(GroupingPlugins, TakesTheGangThatGroveAsksFor) {
  gang_->mutable_metadata()->set_name("gang");
  gang_->mutable_metadata()->set_namespace_("default");
  gang_->mutable_metadata()->set_uid("uid");
  set_label(*gang_->mutable_metadata()->mutable_annotations(), "grove.io/topology-name", "dc");
  for (const auto& [name, minimum] : {std::pair("prefill", 2), std::pair("decode", 4)}) {
    grove::GangPodGroup& pods = *gang_->mutable_spec()->add_podgroups();
    pods.set_name(name);
    pods.set_min_replicas(minimum);
    grove::NamespacedName& reference = *pods.add_pod_references();
    reference.set_namespace_("default");
    reference.set_name(std::string(name) + "-0");
  }
  auto& config = *gang_->mutable_spec()->add_topology_constraint_group_configs();
  config.set_name("workers");
  config.add_pod_group_names("decode");
  config.mutable_topology_constraint()->mutable_pack_constraint()->set_required("rack");
  PodBuilder pod("decode-0");
  pod.label("grove.io/podgang", "gang");
  const std::vector<OwnerView> owners = {
      unmodelled("grove.io/v1alpha1", "PodCliqueSet", "set"),
      unmodelled("nvidia.com/v1alpha1", "DynamoGraphDeployment", "graph")};
  const auto made = group(pod, owners);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->group.metadata().name(), "pg-gang-uid");
  EXPECT_EQ(made->group.spec().min_member(), 6);
  EXPECT_THAT(parts(*made), ElementsAre("workers:0", "prefill:2", "decode:4<workers"));
  EXPECT_EQ(made->group.spec().sub_groups(0).topology_constraint().topology(), "dc");
  EXPECT_EQ(made->sub_group, "decode");

  PodBuilder stranger("other");
  stranger.label("grove.io/podgang", "gang");
  EXPECT_FALSE(group(stranger, owners));
  EXPECT_FALSE(group(PodBuilder("decode-0"), owners));
}

// ---- the others ----

TEST_F(GroupingPlugins, GroupsACronJobsPodsByTheirJob) {
  const auto made = group(PodBuilder("p"), {unmodelled("batch/v1", "Job", "job"),
                                            unmodelled("batch/v1", "CronJob", "cron")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->group.metadata().name(), "pg-p-uid");
  EXPECT_EQ(made->group.metadata().owner_references(0).name(), "job");
}

TEST_F(GroupingPlugins, MakesAGangOfEachKnativeRevision) {
  PodBuilder pod("p");
  pod.label("serving.knative.dev/revision", "svc-00001");
  set_label(*pod.raw().mutable_metadata()->mutable_annotations(),
            "autoscaling.knative.dev/min-scale", "3");
  const auto made = group(pod, {unmodelled("serving.knative.dev/v1", "Service", "svc")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->group.metadata().name(), "pg-svc-00001-uid");
  EXPECT_EQ(made->group.spec().min_member(), 3);
}

TEST_F(GroupingPlugins, TreatsANotebookAsInteractiveWork) {
  const auto made = group(PodBuilder("p"), {unmodelled("kubeflow.org/v1beta1", "Notebook", "nb")});
  EXPECT_EQ(made->group.spec().priority_class_name(), "build");
  EXPECT_THAT(parts(*made), IsEmpty());
}

TEST_F(GroupingPlugins, GroupsThePodsOfASparkApplicationByItsSelector) {
  PodBuilder pod("driver");
  pod.label("spark-app-name", "pi");
  pod.label("spark-app-selector", "spark-1234");
  EXPECT_EQ(group(pod, {})->group.metadata().name(), "spark-1234");
}

}  // namespace
}  // namespace troupe::kai
