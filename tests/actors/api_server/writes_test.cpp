// What writes do to objects: identity, defaults, generation, status, names.
#include <gtest/gtest.h>

#include "messages/conditions.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/labels.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ApiCluster;
using testing::pod;

k8s::Deployment deployment(const std::string& name) {
  k8s::Deployment made;
  made.mutable_metadata()->set_namespace_("ns");
  made.mutable_metadata()->set_name(name);
  set_label(*made.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", name);
  auto& pods = *made.mutable_spec()->mutable_template_();
  set_label(*pods.mutable_metadata()->mutable_labels(), "app", name);
  pods.mutable_spec()->add_containers()->set_name("main");
  return made;
}

TEST(Create, MintsAnIdentityAndBeginsPending) {
  ApiCluster cluster;
  cluster.network.run_for(2500ms);
  const ApiResult made = cluster.create(pod("ns", "a"));
  EXPECT_EQ(made.code, 201);
  const auto created = made.as<k8s::Pod>();
  ASSERT_NE(created, nullptr);
  EXPECT_EQ(created->metadata().uid().size(), 36u);
  EXPECT_EQ(created->metadata().resource_version(), "1");
  EXPECT_EQ(created->metadata().generation(), 1);
  EXPECT_EQ(created->metadata().creation_timestamp(), 2'000'000'000) << "in whole seconds";
  EXPECT_EQ(created->status().phase(), "Pending");
  EXPECT_EQ(created->status().qos_class(), "BestEffort");
}

TEST(Create, GivesEachObjectAnotherUid) {
  ApiCluster cluster;
  const auto first = cluster.create(pod("ns", "a")).as<k8s::Pod>();
  cluster.remove(key_for<k8s::Pod>("ns/a"));
  const auto second = cluster.create(pod("ns", "a")).as<k8s::Pod>();
  EXPECT_NE(first->metadata().uid(), second->metadata().uid());
}

TEST(Create, IgnoresAStatusGivenByTheClientExceptANodes) {
  ApiCluster cluster;
  k8s::Pod running = pod("ns", "a");
  running.mutable_status()->set_phase("Running");
  EXPECT_EQ(cluster.create(running).as<k8s::Pod>()->status().phase(), "Pending");
  k8s::Node node;
  node.mutable_metadata()->set_name("n1");
  set_amount(*node.mutable_status()->mutable_allocatable(), "nvidia.com/gpu", Quantity::whole(8));
  EXPECT_EQ(cluster.create(node).as<k8s::Node>()->status().allocatable_size(), 1);
}

TEST(Create, RefusesANameThatIsTaken) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  const ApiResult again = cluster.create(pod("ns", "a"));
  EXPECT_TRUE(again.already_exists());
  EXPECT_EQ(again.message, "pods \"a\" already exists");
}

TEST(Create, RefusesAResourceVersion) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "a");
  one.mutable_metadata()->set_resource_version("3");
  EXPECT_EQ(cluster.create(one).message,
            "resourceVersion should not be set on objects to be created");
}

TEST(Create, GeneratesANameOfFiveCharactersFromThePrefix) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "");
  one.mutable_metadata()->clear_name();
  one.mutable_metadata()->set_generate_name("llama-");
  const std::string first = cluster.create(one).as<k8s::Pod>()->metadata().name();
  const std::string second = cluster.create(one).as<k8s::Pod>()->metadata().name();
  EXPECT_EQ(first.size(), 11u);
  EXPECT_TRUE(first.starts_with("llama-"));
  EXPECT_NE(first, second);
}

TEST(Create, PutsANamelessNamespaceIntoDefault) {
  ApiCluster cluster;
  k8s::Pod one = pod("", "a");
  one.mutable_metadata()->clear_namespace_();
  EXPECT_EQ(cluster.create(one).as<k8s::Pod>()->metadata().namespace_(), "default");
  EXPECT_NE(cluster.stored<k8s::Pod>("default/a"), nullptr);
}

TEST(Create, GivesAJobASelectorOfItsOwn) {
  ApiCluster cluster;
  k8s::Job job;
  job.mutable_metadata()->set_namespace_("ns");
  job.mutable_metadata()->set_name("train");
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_restart_policy("Never");
  job.mutable_spec()->mutable_template_()->mutable_spec()->add_containers()->set_name("main");
  const auto made = cluster.create(job).as<k8s::Job>();
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(label_or(made->spec().selector().match_labels(), "batch.kubernetes.io/controller-uid"),
            made->metadata().uid());
  EXPECT_EQ(label_or(made->spec().template_().metadata().labels(), "job-name"), "train");
}

TEST(Update, OnAnAbsentObjectIsNotFound) {
  ApiCluster cluster;
  const ApiResult result = cluster.update(deployment("d"));
  EXPECT_TRUE(result.not_found());
  EXPECT_EQ(result.message, "deployments.apps \"d\" not found");
}

TEST(Update, RaisesTheGenerationOnlyWhenTheSpecChanges) {
  ApiCluster cluster;
  k8s::Deployment one = *cluster.create(deployment("d")).as<k8s::Deployment>();
  set_label(*one.mutable_metadata()->mutable_labels(), "team", "a");
  auto labelled = cluster.update(one).as<k8s::Deployment>();
  EXPECT_EQ(labelled->metadata().generation(), 1);
  k8s::Deployment scaled = *labelled;
  scaled.mutable_spec()->set_replicas(5);
  EXPECT_EQ(cluster.update(scaled).as<k8s::Deployment>()->metadata().generation(), 2);
}

TEST(Update, ThatChangesNothingWritesNothing) {
  ApiCluster cluster;
  const auto one = cluster.create(deployment("d")).as<k8s::Deployment>();
  const ApiResult same = cluster.update(*one);
  EXPECT_TRUE(same.ok());
  EXPECT_EQ(same.resource_version, one->metadata().resource_version());
  EXPECT_EQ(cluster.network.facts_of<facts::ObjectCommitted>().size(), 1u);
}

TEST(Update, LeavesTheStatusAlone) {
  ApiCluster cluster;
  k8s::Deployment one = *cluster.create(deployment("d")).as<k8s::Deployment>();
  one.mutable_status()->set_ready_replicas(1);
  k8s::Deployment with_status = *cluster.update_status(one).as<k8s::Deployment>();
  EXPECT_EQ(with_status.status().ready_replicas(), 1);
  with_status.mutable_status()->set_ready_replicas(7);
  with_status.mutable_spec()->set_replicas(3);
  const auto after = cluster.update(with_status).as<k8s::Deployment>();
  EXPECT_EQ(after->status().ready_replicas(), 1);
  EXPECT_EQ(after->spec().replicas(), 3);
}

TEST(UpdateStatus, LeavesTheSpecAndMetadataAlone) {
  ApiCluster cluster;
  k8s::Deployment one = *cluster.create(deployment("d")).as<k8s::Deployment>();
  one.mutable_spec()->set_replicas(9);
  set_label(*one.mutable_metadata()->mutable_labels(), "x", "y");
  one.mutable_status()->set_replicas(1);
  const auto after = cluster.update_status(one).as<k8s::Deployment>();
  EXPECT_EQ(after->spec().replicas(), 1);
  EXPECT_TRUE(after->metadata().labels().empty());
  EXPECT_EQ(after->status().replicas(), 1);
  EXPECT_EQ(after->metadata().generation(), 1);
}

TEST(Patch, MergesFieldsAndMapsAndReplacesLists) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "a");
  set_label(*one.mutable_metadata()->mutable_labels(), "app", "x");
  one.mutable_metadata()->add_finalizers("a.io/one");
  cluster.create(one);
  k8s::Pod partial;
  partial.mutable_metadata()->set_namespace_("ns");
  partial.mutable_metadata()->set_name("a");
  set_label(*partial.mutable_metadata()->mutable_labels(), "tier", "gold");
  partial.mutable_metadata()->add_finalizers("b.io/two");
  const auto after = cluster.patch(partial).as<k8s::Pod>();
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(after->metadata().labels_size(), 2);
  ASSERT_EQ(after->metadata().finalizers_size(), 1);
  EXPECT_EQ(after->metadata().finalizers(0), "b.io/two");
  EXPECT_EQ(after->spec().containers_size(), 1);
}

TEST(Patch, ClearsWhatItsPathsName) {
  ApiCluster cluster;
  k8s::Pod one = pod("ns", "a");
  set_label(*one.mutable_metadata()->mutable_annotations(), "example.com/hold", "1");
  one.mutable_metadata()->add_finalizers("a.io/one");
  cluster.create(one);
  k8s::Pod partial;
  partial.mutable_metadata()->set_namespace_("ns");
  partial.mutable_metadata()->set_name("a");
  const auto after =
      cluster
          .patch(partial,
                 {.clear = {"metadata.annotations.example.com/hold", "metadata.finalizers"}})
          .as<k8s::Pod>();
  ASSERT_NE(after, nullptr);
  EXPECT_TRUE(after->metadata().annotations().empty());
  EXPECT_TRUE(after->metadata().finalizers().empty());
  EXPECT_EQ(cluster.patch(partial, {.clear = {"spec.nonsense"}}).code, 400);
}

TEST(Patch, OfTheStatusMergesConditionsByTypeWhenStrategic) {
  ApiCluster cluster;
  cluster.create(pod("ns", "a"));
  const auto say = [&](const std::string& type, const std::string& status) {
    k8s::Pod partial;
    partial.mutable_metadata()->set_namespace_("ns");
    partial.mutable_metadata()->set_name("a");
    set_condition(*partial.mutable_status()->mutable_conditions(), {.type = type, .status = status},
                  kTimeZero);
    return cluster.patch(partial, {.subresource = "status", .strategic = true}).as<k8s::Pod>();
  };
  say("Ready", "True");
  say("PodScheduled", "True");
  const auto after = say("Ready", "False");
  ASSERT_EQ(after->status().conditions_size(), 2);
  EXPECT_FALSE(is_true(after->status().conditions(), "Ready"));
  EXPECT_EQ(after->status().phase(), "Pending") << "the rest of the status stays";
}

TEST(Apply, CreatesAndThenMerges) {
  ApiCluster cluster;
  EXPECT_EQ(cluster.apply(deployment("d")).code, 201);
  k8s::Deployment more = deployment("d");
  more.mutable_spec()->set_replicas(4);
  auto& extra = *more.mutable_spec()->mutable_template_()->mutable_spec()->add_containers();
  extra.set_name("sidecar");
  const ApiResult again = cluster.apply(more);
  EXPECT_EQ(again.code, 200);
  EXPECT_EQ(again.as<k8s::Deployment>()->spec().replicas(), 4);
  EXPECT_EQ(again.as<k8s::Deployment>()->spec().template_().spec().containers_size(), 2);
  EXPECT_EQ(again.as<k8s::Deployment>()->metadata().generation(), 2);
}

TEST(Defaults, FillInWhatADeploymentLeavesOut) {
  ApiCluster cluster;
  const auto made = cluster.create(deployment("d")).as<k8s::Deployment>();
  EXPECT_EQ(made->spec().replicas(), 1);
  EXPECT_EQ(made->spec().strategy().type(), "RollingUpdate");
  EXPECT_EQ(made->spec().strategy().rolling_update().max_surge(), "25%");
  EXPECT_EQ(made->spec().progress_deadline_seconds(), 600);
  EXPECT_EQ(made->spec().template_().spec().restart_policy(), "Always");
}

TEST(UnknownKind, IsNotFound) {
  ApiCluster cluster;
  EXPECT_TRUE(cluster.get(object_key("Gizmo", "ns", "a")).not_found());
}

}  // namespace
}  // namespace troupe::apiserver
