// JSON merge patch (RFC 7386) on protobuf objects.
//
// A patch is a partial object: what is set in it replaces, messages merge field by field, maps
// merge by key, and lists are replaced as a whole. RFC 7386 deletes with a null, which a partial
// object cannot say; so what is to be deleted comes beside it as paths in the names of the
// manifest: "spec.template.spec.nodeSelector.zone". In a map all that follows is the key, dots
// included. An opaque JSON field is replaced as a whole.
#pragma once

#include <string_view>

#include <google/protobuf/message.h>

#include "messages/result.h"

namespace troupe {

/// Overlays `patch` onto `target`, which must be of the same type.
void merge_patch(google::protobuf::Message& target, const google::protobuf::Message& patch);

/// Erases what the path names; nothing there is no error. A path that the schema does not have, or
/// that leads into an element of a list, is.
Result<void> clear_path(google::protobuf::Message& target, std::string_view path);

}  // namespace troupe
