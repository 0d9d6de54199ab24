#include "actors/workloads/objects/owners.h"

#include <algorithm>
#include <string>

#include "messages/kinds.h"

namespace troupe {

const k8s::OwnerReference* controller_of(const k8s::ObjectMeta& meta) {
  const auto at = std::ranges::find_if(meta.owner_references(),
                                       [](const auto& owner) { return owner.controller(); });
  return at != meta.owner_references().end() ? &*at : nullptr;
}

std::string_view controller_uid(const k8s::ObjectMeta& meta) {
  const k8s::OwnerReference* owner = controller_of(meta);
  return owner != nullptr ? std::string_view(owner->uid()) : std::string_view();
}

bool is_owned_by_kind(const k8s::ObjectMeta& meta, std::string_view kind) {
  return std::ranges::any_of(meta.owner_references(),
                             [kind](const auto& owner) { return owner.kind() == kind; });
}

k8s::OwnerReference controller_reference(const google::protobuf::Message& owner) {
  const Kind* kind = find_kind(*owner.GetDescriptor());
  const k8s::ObjectMeta& meta = meta_of(owner);
  k8s::OwnerReference reference;
  reference.set_api_version(std::string(kind->versions.front()));
  reference.set_kind(std::string(kind->name));
  reference.set_name(meta.name());
  reference.set_uid(meta.uid());
  reference.set_controller(true);
  reference.set_block_owner_deletion(true);
  return reference;
}

}  // namespace troupe
