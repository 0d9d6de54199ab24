#include "messages/kinds.h"

#include <gtest/gtest.h>

#include "messages/k8s/apps.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/kai.pb.h"

namespace troupe {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

TEST(Kinds, AreSortedByName) {
  const auto kinds = all_kinds();
  for (std::size_t i = 1; i < kinds.size(); ++i) EXPECT_LT(kinds[i - 1].name, kinds[i].name);
}

// The numbers 1 to 5 are what meta_of, the API server and the converter rely on.
TEST(Kinds, FollowTheFieldConvention) {
  constexpr const char* kNames[] = {"apiVersion", "kind", "metadata", "spec", "status"};
  for (const Kind& kind : all_kinds()) {
    EXPECT_TRUE(is_object(*kind.prototype)) << kind.name;
    EXPECT_FALSE(kind.versions.empty()) << kind.name;
    for (int number = 1; number <= 5; ++number) {
      const FieldDescriptor* field = kind.prototype->GetDescriptor()->FindFieldByNumber(number);
      if (field == nullptr) continue;
      EXPECT_EQ(field->json_name(), kNames[number - 1]) << kind.name;
    }
  }
}

// Equal objects must have equal bytes, and unset must differ from zero.
void expect_conventions(const Descriptor& type, std::set<const Descriptor*>& seen) {
  if (!seen.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    EXPECT_FALSE(field.is_map()) << field.full_name() << " is a map<>, whose order is not ours";
    if (field.message_type() != nullptr) expect_conventions(*field.message_type(), seen);
  }
}

TEST(Kinds, HaveNoProtobufMaps) {
  std::set<const Descriptor*> seen;
  for (const Kind& kind : all_kinds()) expect_conventions(*kind.prototype->GetDescriptor(), seen);
}

TEST(Kinds, AreFoundByNameVersionAndType) {
  EXPECT_EQ(find_kind("Pod")->plural, "pods");
  EXPECT_EQ(find_kind("Pods"), nullptr);
  EXPECT_NE(find_kind("kai.scheduler/v1alpha1", "Topology"), nullptr);
  EXPECT_EQ(find_kind("kueue.x-k8s.io/v1beta2", "Topology"), nullptr)
      << "another group's kind of the same name";
  EXPECT_EQ(find_kind(*k8s::ObjectEvent::descriptor())->name, "Event");
  EXPECT_EQ(find_kind(*k8s::ObjectMeta::descriptor()), nullptr);
  EXPECT_EQ(kind_of<k8s::Deployment>().name, "Deployment");
  EXPECT_FALSE(kind_of<kai::Queue>().namespaced);
}

TEST(Kinds, ReachTheMetadataOfAnyObject) {
  k8s::Pod pod;
  mutable_meta(pod)->set_name("llama-0");
  EXPECT_EQ(meta_of(pod).name(), "llama-0");
  EXPECT_EQ(meta_of(k8s::Node{}).name(), "");
  EXPECT_FALSE(is_object(k8s::PodTemplateSpec{}));
}

TEST(Kinds, SpellNamesAsKubernetesDoes) {
  const auto* status = k8s::PodStatus::descriptor();
  EXPECT_EQ(status->FindFieldByName("pod_ip")->json_name(), "podIP");
  EXPECT_EQ(k8s::NodeSpec::descriptor()->FindFieldByName("provider_id")->json_name(), "providerID");
  EXPECT_EQ(k8s::PodSpec::descriptor()->FindFieldByName("node_selector")->json_name(),
            "nodeSelector");
}

}  // namespace
}  // namespace troupe
