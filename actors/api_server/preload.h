// The objects of a cluster that exists before the run begins: defaulted and given an identity, and
// nothing else.
//
// `kubectl get -o yaml` of a real cluster keeps its status, its uids and its ages; a hand-written
// list gets what it lacks.
#pragma once

#include <vector>

#include "messages/payload.h"

namespace troupe::apiserver {

/// The objects in their order, complete, without resourceVersions.
[[nodiscard]] std::vector<Payload> prepare_preload(const std::vector<Payload>& objects);

}  // namespace troupe::apiserver
