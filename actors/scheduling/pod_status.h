// What schedulers write into a pod's status, as the partial objects that a patch takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "messages/conditions.h"
#include "messages/k8s/core.pb.h"
#include "messages/payload.h"

namespace troupe::scheduling {

/// A partial pod that names the pod and holds nothing else yet.
[[nodiscard]] k8s::Pod partial_of(const k8s::Pod& pod);

/// The patch of `status` that sets that one condition; nothing if the pod has it so already. To be
/// merged by the conditions' type, which is a strategic patch.
[[nodiscard]] std::optional<k8s::Pod> condition_patch(const k8s::Pod& pod,
                                                      const ConditionState& state, SimTime now);

/// PodScheduled=False with that reason and message: what autoscalers look for.
[[nodiscard]] std::optional<k8s::Pod> not_scheduled_patch(const k8s::Pod& pod,
                                                          std::string_view reason,
                                                          std::string_view message, SimTime now);

/// The fact that a scheduler found no place for the pod, and why.
[[nodiscard]] Payload unschedulable_fact(const k8s::Pod& pod, std::string_view message);

}  // namespace troupe::scheduling
