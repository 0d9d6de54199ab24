// Admission: what the API server's built-in plug-ins change or refuse when an object is created.
//
// In their order: NamespaceLifecycle, TaintNodesByCondition, Priority, DefaultTolerationSeconds.
// Webhooks are none: a component that has one in life does its work through its own controller
// here.
#pragma once

#include "actors/api_server/status.h"
#include "actors/api_server/watch_cache.h"

namespace troupe::apiserver {

/// Changes `object`, which has its defaults, or returns why it is refused. Looks at other objects
/// through the cache, which may be late, as in life.
[[nodiscard]] Status admit_create(google::protobuf::Message& object, const WatchCache& cache);

}  // namespace troupe::apiserver
