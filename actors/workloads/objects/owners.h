// Owner references: who made an object, and who manages it.
#pragma once

#include <string_view>

#include <google/protobuf/message.h>

#include "messages/k8s/meta.pb.h"

namespace troupe {

/// The reference to the object's managing controller, or null.
[[nodiscard]] const k8s::OwnerReference* controller_of(const k8s::ObjectMeta& meta);
/// The same, as an uid; empty where nobody manages it.
[[nodiscard]] std::string_view controller_uid(const k8s::ObjectMeta& meta);
[[nodiscard]] bool is_owned_by_kind(const k8s::ObjectMeta& meta, std::string_view kind);
/// A reference by which `owner` manages another object, and blocks the foreground deletion of
/// itself.
[[nodiscard]] k8s::OwnerReference controller_reference(const google::protobuf::Message& owner);

}  // namespace troupe
