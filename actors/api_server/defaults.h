// Defaulting: what the API server fills in where a manifest is silent. One named pass, before
// validation.
//
// Only fields that somebody in the emulation reads are filled in. Sources: kubernetes/kubernetes
// pkg/apis/*/v*/defaults.go and the CRDs of Karpenter and LeaderWorkerSet, at the versions that
// docs/ARCHITECTURE.md names.
#pragma once

#include <google/protobuf/message.h>

namespace troupe::apiserver {

/// Fills in the defaults of an object of any kind; those without defaults stay as they are.
void apply_defaults(google::protobuf::Message& object);

}  // namespace troupe::apiserver
