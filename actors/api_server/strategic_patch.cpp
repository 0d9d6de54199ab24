#include "actors/api_server/strategic_patch.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "messages/merge_patch.h"

namespace troupe::apiserver {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

struct MergeKey {
  std::string_view element;  // message type of the list's elements
  std::string_view key;      // its field
};

/// patchMergeKey in k8s.io/api.
constexpr std::array kMergeKeys = {
    MergeKey{"Container", "name"},
    MergeKey{"EnvVar", "name"},
    MergeKey{"ContainerPort", "container_port"},
    MergeKey{"VolumeMount", "mount_path"},
    MergeKey{"Volume", "name"},
    MergeKey{"Condition", "type"},
    MergeKey{"LocalObjectReference", "name"},
    MergeKey{"TopologySpreadConstraint", "topology_key"},
    MergeKey{"Taint", "key"},
    MergeKey{"ServicePort", "port"},
    MergeKey{"OwnerReference", "uid"},
    MergeKey{"NodeAddress", "type"},
    MergeKey{"PodSchedulingGate", "name"},
    MergeKey{"PodResourceClaim", "name"},
};

const FieldDescriptor* merge_key(const FieldDescriptor& list) {
  if (!list.is_repeated() || list.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return nullptr;
  for (const MergeKey& row : kMergeKeys) {
    if (list.message_type()->name() == row.element) {
      return list.message_type()->FindFieldByName(std::string(row.key));
    }
  }
  return nullptr;
}

bool same_key(const Message& a, const Message& b, const FieldDescriptor& key) {
  const Reflection& reflection = *a.GetReflection();
  if (key.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    return reflection.GetString(a, &key) == reflection.GetString(b, &key);
  }
  return reflection.GetInt32(a, &key) == reflection.GetInt32(b, &key);
}

/// Puts into `patch` the list as it will be: the target's elements, patched, then the new ones. A
/// merge patch, which replaces lists, then does the rest.
void expand_list(Message& patch, const Message& target, const FieldDescriptor& list,
                 const FieldDescriptor& key) {
  const Reflection& reflection = *patch.GetReflection();
  std::vector<std::unique_ptr<Message>> merged;
  for (int i = 0; i < reflection.FieldSize(target, &list); ++i) {
    const Message& element = reflection.GetRepeatedMessage(target, &list, i);
    merged.emplace_back(element.New())->CopyFrom(element);
  }
  for (int i = 0; i < reflection.FieldSize(patch, &list); ++i) {
    const Message& change = reflection.GetRepeatedMessage(patch, &list, i);
    Message* found = nullptr;
    for (const auto& element : merged) {
      if (same_key(*element, change, key)) found = element.get();
    }
    if (found != nullptr) {
      strategic_patch(*found, change);
    } else {
      merged.emplace_back(change.New())->CopyFrom(change);
    }
  }
  reflection.ClearField(&patch, &list);
  for (const auto& element : merged) reflection.AddMessage(&patch, &list)->CopyFrom(*element);
}

void expand(Message& patch, const Message& target) {
  const Reflection& reflection = *patch.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(patch, &fields);
  for (const FieldDescriptor* field : fields) {
    if (const FieldDescriptor* key = merge_key(*field)) {
      expand_list(patch, target, *field, *key);
    } else if (!field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      expand(*reflection.MutableMessage(&patch, field), reflection.GetMessage(target, field));
    }
  }
}

}  // namespace

void strategic_patch(Message& target, const Message& patch) {
  std::unique_ptr<Message> expanded(patch.New());
  expanded->CopyFrom(patch);
  expand(*expanded, target);
  merge_patch(target, *expanded);
}

}  // namespace troupe::apiserver
