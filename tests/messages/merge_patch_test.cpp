#include "messages/merge_patch.h"

#include <gtest/gtest.h>

#include "messages/k8s/apps.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/policy.pb.h"
#include "messages/labels.h"

namespace troupe {
namespace {

k8s::Pod llama() {
  k8s::Pod pod;
  pod.mutable_metadata()->set_name("llama-0");
  set_label(*pod.mutable_metadata()->mutable_labels(), "app", "llama");
  set_label(*pod.mutable_metadata()->mutable_labels(), "tier", "gpu");
  pod.mutable_spec()->add_containers()->set_name("engine");
  pod.mutable_spec()->add_containers()->set_name("sidecar");
  pod.mutable_spec()->set_priority(5);
  set_label(*pod.mutable_spec()->mutable_node_selector(), "topology.kubernetes.io/zone", "a");
  return pod;
}

TEST(MergePatch, ReplacesScalarsAndKeepsTheRest) {
  k8s::Pod pod = llama();
  k8s::Pod patch;
  patch.mutable_spec()->set_priority(0);
  patch.mutable_spec()->set_node_name("gpu-a");
  merge_patch(pod, patch);
  EXPECT_TRUE(pod.spec().has_priority());
  EXPECT_EQ(pod.spec().priority(), 0) << "zero is a value";
  EXPECT_EQ(pod.spec().node_name(), "gpu-a");
  EXPECT_EQ(pod.metadata().name(), "llama-0");
  EXPECT_EQ(pod.spec().containers_size(), 2);
}

TEST(MergePatch, ReplacesListsAsAWhole) {
  k8s::Pod pod = llama();
  k8s::Pod patch;
  patch.mutable_spec()->add_containers()->set_name("other");
  patch.mutable_metadata()->add_finalizers("x");
  merge_patch(pod, patch);
  ASSERT_EQ(pod.spec().containers_size(), 1);
  EXPECT_EQ(pod.spec().containers(0).name(), "other");
  EXPECT_EQ(pod.metadata().finalizers_size(), 1);
}

TEST(MergePatch, MergesMapsByKeyAndKeepsThemSorted) {
  k8s::Pod pod = llama();
  k8s::Pod patch;
  set_label(*patch.mutable_metadata()->mutable_labels(), "tier", "cpu");
  set_label(*patch.mutable_metadata()->mutable_labels(), "model", "8b");
  set_label(*patch.mutable_metadata()->mutable_labels(), "zeta", "1");
  set_label(*patch.mutable_metadata()->mutable_annotations(), "note", "new");
  merge_patch(pod, patch);
  const LabelMap& labels = pod.metadata().labels();
  ASSERT_EQ(labels.size(), 4);
  EXPECT_EQ(labels[0].key() + labels[1].key() + labels[2].key() + labels[3].key(),
            "appmodeltierzeta");
  EXPECT_EQ(*find_label(labels, "tier"), "cpu");
  EXPECT_EQ(*find_label(pod.metadata().annotations(), "note"), "new");
}

TEST(MergePatch, CreatesWhatIsNotThere) {
  k8s::Deployment deployment;
  k8s::Deployment patch;
  patch.mutable_spec()->mutable_template_()->mutable_spec()->set_scheduler_name("kai-scheduler");
  merge_patch(deployment, patch);
  EXPECT_EQ(deployment.spec().template_().spec().scheduler_name(), "kai-scheduler");
}

TEST(MergePatch, AppliedTwiceIsAppliedOnce) {
  k8s::Pod once = llama();
  k8s::Pod patch;
  set_label(*patch.mutable_metadata()->mutable_labels(), "a", "1");
  patch.mutable_spec()->add_tolerations()->set_key("gpu");
  merge_patch(once, patch);
  k8s::Pod twice = once;
  merge_patch(twice, patch);
  EXPECT_EQ(once.SerializeAsString(), twice.SerializeAsString());
}

TEST(ClearPath, ErasesFieldsAndKeysOfMaps) {
  k8s::Pod pod = llama();
  EXPECT_TRUE(clear_path(pod, "spec.nodeSelector.topology.kubernetes.io/zone"))
      << "a key may hold dots";
  EXPECT_TRUE(pod.spec().node_selector().empty());
  EXPECT_TRUE(clear_path(pod, "spec.priority"));
  EXPECT_FALSE(pod.spec().has_priority());
  EXPECT_TRUE(clear_path(pod, "metadata.labels"));
  EXPECT_TRUE(pod.metadata().labels().empty());
}

TEST(ClearPath, IgnoresWhatIsNotThere) {
  k8s::Pod pod;
  EXPECT_TRUE(clear_path(pod, "spec.affinity.nodeAffinity"));
  EXPECT_FALSE(pod.has_spec()) << "nothing is created on the way";
  EXPECT_TRUE(clear_path(pod, "metadata.labels.app"));
}

TEST(ClearPath, RefusesUnknownNamesAndListElements) {
  k8s::Pod pod = llama();
  EXPECT_EQ(clear_path(pod, "spec.nodeSelectr").error().message,
            "\"spec.nodeSelectr\": PodSpec has no field \"nodeSelectr\"");
  EXPECT_FALSE(clear_path(pod, "spec.containers.0"));
  EXPECT_FALSE(clear_path(pod, "metadata.name.x"));
  EXPECT_FALSE(clear_path(pod, ""));
}

}  // namespace
}  // namespace troupe
