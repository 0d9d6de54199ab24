#include "actors/api_server/validation.h"

#include <gtest/gtest.h>

#include "actors/api_server/defaults.h"
#include "actors/api_server/validation_meta.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/policy.pb.h"
#include "messages/labels.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

using testing::ApiCluster;
using testing::pod;
using ::testing::Test;

k8s::ReplicaSet replica_set() {
  k8s::ReplicaSet made;
  made.mutable_metadata()->set_namespace_("ns");
  made.mutable_metadata()->set_name("rs");
  set_label(*made.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "x");
  auto& pods = *made.mutable_spec()->mutable_template_();
  set_label(*pods.mutable_metadata()->mutable_labels(), "app", "x");
  pods.mutable_spec()->add_containers()->set_name("main");
  return made;
}

template <class T>
FieldErrors errors_of(T object) {
  apply_defaults(object);
  return validate_create(object);
}

template <class T>
FieldErrors change_errors(T before, T after) {
  apply_defaults(before);
  apply_defaults(after);
  return validate_update(after, before);
}

TEST(Validation, PassesASoundObject) {
  EXPECT_TRUE(errors_of(pod("ns", "a")).empty());
  EXPECT_TRUE(errors_of(replica_set()).empty());
}

TEST(Validation, RefusesABadNameInTheRealWords) {
  ApiCluster cluster;
  const ApiResult refused = cluster.create(pod("ns", "Bad_Name"));
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.reason, "Invalid");
  EXPECT_TRUE(
      refused.message.starts_with("Pod \"Bad_Name\" is invalid: metadata.name: Invalid value: "
                                  "\"Bad_Name\": a lowercase RFC 1123 subdomain"));
}

TEST(Validation, RefusesNegativeReplicas) {
  k8s::ReplicaSet bad = replica_set();
  bad.mutable_spec()->set_replicas(-1);
  EXPECT_EQ(errors_of(bad),
            (FieldErrors{"spec.replicas: Invalid value: -1: must be greater than or equal to 0"}));
}

TEST(Validation, RefusesASelectorThatMissesItsTemplate) {
  k8s::ReplicaSet bad = replica_set();
  set_label(*bad.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels(), "app",
            "y");
  ASSERT_EQ(errors_of(bad).size(), 1u);
  EXPECT_NE(errors_of(bad)[0].find("`selector` does not match template `labels`"),
            std::string::npos);
  bad.mutable_spec()->clear_selector();
  EXPECT_EQ(errors_of(bad)[0], "spec.selector: Required value");
}

TEST(Validation, RefusesAPodWithoutContainersOrWithTwoOfOneName) {
  k8s::Pod none = pod("ns", "a");
  none.mutable_spec()->clear_containers();
  EXPECT_EQ(errors_of(none)[0], "spec.containers: Required value");
  k8s::Pod twins = pod("ns", "a");
  *twins.mutable_spec()->add_containers() = twins.spec().containers(0);
  EXPECT_EQ(errors_of(twins)[0], "spec.containers[1].name: Duplicate value: \"main\"");
}

TEST(Validation, RefusesRequestsAboveLimits) {
  k8s::Pod one = pod("ns", "a");
  auto& resources = *one.mutable_spec()->mutable_containers(0)->mutable_resources();
  set_amount(*resources.mutable_limits(), "cpu", Quantity::whole(1));
  set_amount(*resources.mutable_requests(), "cpu", Quantity::whole(2));
  ASSERT_EQ(errors_of(one).size(), 1u);
  EXPECT_NE(errors_of(one)[0].find("must be less than or equal to cpu limit of 1"),
            std::string::npos);
}

TEST(Validation, WantsGpusWholeLimitedAndNotOvercommitted) {
  k8s::Pod one = pod("ns", "a");
  auto& resources = *one.mutable_spec()->mutable_containers(0)->mutable_resources();
  set_amount(*resources.mutable_requests(), "nvidia.com/gpu", Quantity::whole(1));
  EXPECT_NE(errors_of(one)[0].find("Limit must be set for non overcommitable resources"),
            std::string::npos);
  set_amount(*resources.mutable_limits(), "nvidia.com/gpu", Quantity::whole(2));
  EXPECT_NE(errors_of(one)[0].find("must be equal to nvidia.com/gpu limit of 2"),
            std::string::npos);
  set_amount(*resources.mutable_limits(), "nvidia.com/gpu", Quantity::milli(500));
  set_amount(*resources.mutable_requests(), "nvidia.com/gpu", Quantity::milli(500));
  EXPECT_NE(errors_of(one)[0].find("must be an integer"), std::string::npos);
}

TEST(Validation, WantsAJobToEnd) {
  k8s::Job job;
  job.mutable_metadata()->set_namespace_("ns");
  job.mutable_metadata()->set_name("j");
  job.mutable_spec()->mutable_template_()->mutable_spec()->add_containers()->set_name("main");
  ASSERT_EQ(errors_of(job).size(), 1u);
  EXPECT_NE(errors_of(job)[0].find("restartPolicy"), std::string::npos);
}

TEST(Validation, RefusesAnAutoscalerWhoseMaximumIsBelowItsMinimum) {
  k8s::HorizontalPodAutoscaler hpa;
  hpa.mutable_metadata()->set_namespace_("ns");
  hpa.mutable_metadata()->set_name("h");
  hpa.mutable_spec()->mutable_scale_target_ref()->set_kind("Deployment");
  hpa.mutable_spec()->mutable_scale_target_ref()->set_name("d");
  hpa.mutable_spec()->set_min_replicas(3);
  hpa.mutable_spec()->set_max_replicas(2);
  EXPECT_EQ(
      errors_of(hpa),
      (FieldErrors{
          "spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`"}));
}

TEST(Validation, RefusesABudgetWithBothBounds) {
  k8s::PodDisruptionBudget pdb;
  pdb.mutable_metadata()->set_namespace_("ns");
  pdb.mutable_metadata()->set_name("p");
  pdb.mutable_spec()->set_min_available("1");
  pdb.mutable_spec()->set_max_unavailable("1");
  EXPECT_EQ(errors_of(pdb).size(), 1u);
}

TEST(Validation, AllowsOneControllerAmongTheOwners) {
  k8s::Pod one = pod("ns", "a");
  for (const char* name : {"x", "y"}) {
    auto& owner = *one.mutable_metadata()->add_owner_references();
    owner.set_name(name);
    owner.set_uid(name);
    owner.set_controller(true);
  }
  ASSERT_EQ(errors_of(one).size(), 1u);
  EXPECT_NE(errors_of(one)[0].find("Only one reference can have Controller set to true"),
            std::string::npos);
}

TEST(Immutability, OfAPodLeavesItsImageTolerationsAndGates) {
  k8s::Pod before = pod("ns", "a");
  before.mutable_spec()->add_scheduling_gates()->set_name("a.io/wait");
  k8s::Pod after = before;
  after.mutable_spec()->mutable_containers(0)->set_image("registry/image:2");
  after.mutable_spec()->add_tolerations()->set_key("spot");
  after.mutable_spec()->clear_scheduling_gates();
  EXPECT_TRUE(change_errors(before, after).empty());
  after.mutable_spec()->mutable_containers(0)->add_args("--fast");
  ASSERT_EQ(change_errors(before, after).size(), 1u);
  EXPECT_TRUE(change_errors(before, after)[0].starts_with(
      "spec: Forbidden: pod updates may not change fields"));
}

TEST(Immutability, OfAPodRefusesToDropATolerationOrAddAGate) {
  k8s::Pod before = pod("ns", "a");
  before.mutable_spec()->add_tolerations()->set_key("spot");
  k8s::Pod after = before;
  after.mutable_spec()->clear_tolerations();
  EXPECT_EQ(change_errors(before, after).size(), 1u);
  after = before;
  after.mutable_spec()->add_scheduling_gates()->set_name("a.io/wait");
  EXPECT_EQ(change_errors(before, after).size(), 1u);
}

TEST(Immutability, OfSelectors) {
  k8s::ReplicaSet before = replica_set();
  k8s::ReplicaSet after = before;
  set_label(*after.mutable_spec()->mutable_selector()->mutable_match_labels(), "app", "z");
  set_label(*after.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels(), "app",
            "z");
  EXPECT_EQ(change_errors(before, after),
            (FieldErrors{"spec.selector: Invalid value: \"app=z\": field is immutable"}));
}

TEST(Immutability, OfAStatefulSetLeavesReplicasAndTemplate) {
  k8s::StatefulSet before;
  before.mutable_metadata()->set_namespace_("ns");
  before.mutable_metadata()->set_name("s");
  *before.mutable_spec()->mutable_selector() = replica_set().spec().selector();
  *before.mutable_spec()->mutable_template_() = replica_set().spec().template_();
  k8s::StatefulSet after = before;
  after.mutable_spec()->set_replicas(5);
  after.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->set_image(
      "i:2");
  EXPECT_TRUE(change_errors(before, after).empty());
  after.mutable_spec()->set_service_name("other");
  EXPECT_EQ(change_errors(before, after).size(), 1u);
}

TEST(Immutability, OfAJobsTemplateEndsWhileItIsSuspended) {
  k8s::Job before;
  before.mutable_metadata()->set_namespace_("ns");
  before.mutable_metadata()->set_name("j");
  auto& spec = *before.mutable_spec()->mutable_template_()->mutable_spec();
  spec.set_restart_policy("Never");
  spec.add_containers()->set_name("main");
  k8s::Job after = before;
  set_label(*after.mutable_spec()->mutable_template_()->mutable_spec()->mutable_node_selector(),
            "zone", "a");
  EXPECT_EQ(change_errors(before, after).size(), 1u);
  before.mutable_spec()->set_suspend(true);
  after.mutable_spec()->set_suspend(true);
  EXPECT_TRUE(change_errors(before, after).empty());
}

}  // namespace
}  // namespace troupe::apiserver
