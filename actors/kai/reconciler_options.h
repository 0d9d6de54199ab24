// What KAI's controllers have in common: one client for work, one for events, and a queue.
#pragma once

#include "actors/api_client/api_client.h"
#include "actors/api_client/work_queue.h"
#include "messages/hosts.pb.h"

namespace troupe::kai {

/// Events have a client of their own so that they do not slow the work.
[[nodiscard]] ApiClientOptions events_client(const hosts::ControllerClient& config);

/// Of the binder (cmd/binder/app/options.go: max-concurrent-reconciles, rate-limiter-base-delay and
/// -max-delay) and of the pod-grouper (pkg/podgrouper/pod_controller.go), whose defaults are the
/// same.
[[nodiscard]] WorkQueueOptions reconciler_queue(std::uint32_t workers, std::int64_t backoff_min_ns,
                                                std::int64_t backoff_max_ns);

}  // namespace troupe::kai
