// Strategic merge patch: lists whose elements have a key in Kubernetes merge by that key.
//
// The keys are those of k8s.io/api's patchMergeKey tags for the lists that the schemas model.
// Everything else merges as JSON merge patch does. Deleting an element ($patch: delete) is not
// modelled.
#pragma once

#include <google/protobuf/message.h>

namespace troupe::apiserver {

/// Overlays `patch`, a partial object of the same type, onto `target`.
void strategic_patch(google::protobuf::Message& target, const google::protobuf::Message& patch);

}  // namespace troupe::apiserver
