// The BindRequest by which the scheduler tells the binder where a pod goes.
#pragma once

#include "messages/k8s/core.pb.h"
#include "messages/kai.pb.h"
#include "messages/schedulers.pb.h"

namespace troupe::kai {

/// Named and owned as the pod is; the scheduler never sets a backoff limit (KAI, cache.go:
/// createBindRequest).
[[nodiscard]] BindRequest bind_request(const k8s::Pod& pod, const schedulers::KaiBind& bind);

}  // namespace troupe::kai
