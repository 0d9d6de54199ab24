#include "actors/workloads/garbage_collector/metadata_patch.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::workloads {

MetadataPatch metadata_patch(const google::protobuf::Message& live, const k8s::ObjectMeta& after) {
  std::unique_ptr<google::protobuf::Message> partial(live.New());
  k8s::ObjectMeta& meta = *mutable_meta(*partial);
  meta.set_name(after.name());
  if (!after.namespace_().empty()) meta.set_namespace_(after.namespace_());
  meta.set_uid(after.uid());
  *meta.mutable_owner_references() = after.owner_references();
  *meta.mutable_finalizers() = after.finalizers();
  PatchOptions options{.resource_version = meta_of(live).resource_version()};
  if (after.owner_references().empty()) options.clear.emplace_back("metadata.ownerReferences");
  if (after.finalizers().empty()) options.clear.emplace_back("metadata.finalizers");
  return {Payload(std::move(partial), {}), std::move(options)};
}

bool drop_owner(k8s::ObjectMeta& meta, const std::string& uid) {
  auto& owners = *meta.mutable_owner_references();
  const auto end = std::remove_if(owners.begin(), owners.end(),
                                  [&](const auto& owner) { return owner.uid() == uid; });
  if (end == owners.end()) return false;
  owners.erase(end, owners.end());
  return true;
}

}  // namespace troupe::workloads
