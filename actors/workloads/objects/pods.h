// What a pod's status says about it, in the terms that controllers share.
#pragma once

#include <cstdint>
#include <string_view>

#include "messages/k8s/pod.pb.h"
#include "messages/sim_time.h"

namespace troupe {

/// Succeeded or Failed: its containers will not run again.
[[nodiscard]] bool is_terminal(const k8s::Pod& pod);
/// Marked for deletion.
[[nodiscard]] bool is_terminating(const k8s::Pod& pod);
/// Neither of the two: a replica that counts.
[[nodiscard]] bool is_active(const k8s::Pod& pod);
[[nodiscard]] bool is_ready(const k8s::Pod& pod);
/// When it became ready; time zero where it is not.
[[nodiscard]] SimTime ready_since(const k8s::Pod& pod);
/// Ready for at least `min_ready_seconds`.
[[nodiscard]] bool is_available(const k8s::Pod& pod, std::int32_t min_ready_seconds, SimTime now);
[[nodiscard]] bool is_bound(const k8s::Pod& pod);
/// The restarts of all its containers.
[[nodiscard]] std::int32_t restarts(const k8s::Pod& pod);
/// PodScheduled is False with reason Unschedulable: a scheduler tried and said no.
[[nodiscard]] bool is_unschedulable(const k8s::Pod& pod);

/// The annotation controller.kubernetes.io/pod-deletion-cost; 0 where it is absent or no number.
[[nodiscard]] std::int32_t deletion_cost(const k8s::Pod& pod);

/// A new pod of a template, unnamed: labels, annotations and finalizers of the template, and its
/// spec.
[[nodiscard]] k8s::Pod pod_of(const k8s::PodTemplateSpec& pod_template,
                              std::string_view name_space);

}  // namespace troupe
