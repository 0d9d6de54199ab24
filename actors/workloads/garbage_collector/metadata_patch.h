// Changes to the metadata of objects of any kind.
#pragma once

#include <string>

#include "actors/api_client/api_client.h"

namespace troupe::workloads {

struct MetadataPatch {
  Payload partial;
  PatchOptions options;
};

/// Makes the owners and finalizers of `live` those of `after`, unless somebody has changed the
/// object since.
[[nodiscard]] MetadataPatch metadata_patch(const google::protobuf::Message& live,
                                           const k8s::ObjectMeta& after);

/// Removes the reference to that owner; true if it was there.
bool drop_owner(k8s::ObjectMeta& meta, const std::string& uid);

}  // namespace troupe::workloads
