#include "actors/api_server/object_fields.h"

#include <gtest/gtest.h>

#include "messages/k8s/core.pb.h"
#include "tests/support/api_cluster.h"

namespace troupe::apiserver {
namespace {

TEST(FieldPath, ReadsScalarsByTheirNamesInManifests) {
  k8s::Pod one = testing::pod("ns", "a");
  one.mutable_spec()->set_node_name("n1");
  const Kind& kind = kind_of<k8s::Pod>();
  EXPECT_EQ(FieldPath::compile(kind, "spec.nodeName")->value(one), "n1");
  EXPECT_EQ(FieldPath::compile(kind, "metadata.name")->value(one), "a");
  EXPECT_EQ(FieldPath::compile(kind, "status.phase")->value(one), "");
  k8s::ObjectEvent event;
  event.mutable_involved_object()->set_name("x");
  EXPECT_EQ(FieldPath::compile(kind_of<k8s::ObjectEvent>(), "involvedObject.name")->value(event),
            "x");
}

TEST(FieldPath, KnowsNoListsMessagesOrForeignNames) {
  const Kind& kind = kind_of<k8s::Pod>();
  for (const char* bad :
       {"spec", "spec.containers", "spec.node_name", "nothing", "metadata.name.x", ""}) {
    EXPECT_EQ(FieldPath::compile(kind, bad), nullptr) << bad;
  }
}

TEST(Status, IsTakenFromAnotherObjectOrCleared) {
  k8s::Pod from = testing::pod("ns", "a");
  from.mutable_status()->set_phase("Running");
  k8s::Pod to = testing::pod("ns", "a");
  take_status(to, from);
  EXPECT_EQ(to.status().phase(), "Running");
  clear_status(from);
  take_status(to, from);
  EXPECT_FALSE(to.has_status());
  k8s::Service text;  // its status is opaque text
  text.set_status("{}");
  k8s::Service other;
  take_status(other, text);
  EXPECT_EQ(other.status(), "{}");
}

}  // namespace
}  // namespace troupe::apiserver
