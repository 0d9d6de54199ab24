#include "actors/api_server/strategic_patch.h"

#include <gtest/gtest.h>

#include "messages/k8s/pod.pb.h"
#include "messages/labels.h"

namespace troupe::apiserver {
namespace {

k8s::Container& container(k8s::Pod& pod, const std::string& name, const std::string& image) {
  k8s::Container& added = *pod.mutable_spec()->add_containers();
  added.set_name(name);
  if (!image.empty()) added.set_image(image);
  return added;
}

TEST(StrategicPatch, MergesContainersByName) {
  k8s::Pod target;
  container(target, "a", "a:1").add_args("--x");
  container(target, "b", "b:1");
  k8s::Pod patch;
  container(patch, "b", "b:2");
  container(patch, "c", "c:1");
  strategic_patch(target, patch);
  ASSERT_EQ(target.spec().containers_size(), 3);
  EXPECT_EQ(target.spec().containers(0).image(), "a:1");
  EXPECT_EQ(target.spec().containers(0).args_size(), 1);
  EXPECT_EQ(target.spec().containers(1).image(), "b:2");
  EXPECT_EQ(target.spec().containers(2).name(), "c");
}

TEST(StrategicPatch, MergesListsWithinMergedElements) {
  k8s::Pod target;
  k8s::EnvVar& old = *container(target, "a", "").add_env();
  old.set_name("KEEP");
  old.set_value("1");
  k8s::Pod patch;
  k8s::EnvVar& fresh = *container(patch, "a", "").add_env();
  fresh.set_name("NEW");
  fresh.set_value("2");
  strategic_patch(target, patch);
  EXPECT_EQ(target.spec().containers(0).env_size(), 2);
}

TEST(StrategicPatch, ReplacesListsWithoutAKey) {
  k8s::Pod target;
  target.mutable_spec()->add_tolerations()->set_key("a");
  k8s::Pod patch;
  patch.mutable_spec()->add_tolerations()->set_key("b");
  strategic_patch(target, patch);
  ASSERT_EQ(target.spec().tolerations_size(), 1);
  EXPECT_EQ(target.spec().tolerations(0).key(), "b");
}

}  // namespace
}  // namespace troupe::apiserver
