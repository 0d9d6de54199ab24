// The hash of a pod template: the suffix of its ReplicaSet's name and the label that tells its pods
// from those of others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/k8s/pod.pb.h"

namespace troupe::workloads {

inline constexpr std::string_view kTemplateHashLabel = "pod-template-hash";

/// Ten characters of the alphabet that Kubernetes uses for names. `collisions` counts how often the
/// name was taken.
[[nodiscard]] std::string template_hash(const k8s::PodTemplateSpec& pod_template,
                                        std::int32_t collisions);
/// Equal but for the hash label.
[[nodiscard]] bool same_template(k8s::PodTemplateSpec a, k8s::PodTemplateSpec b);

}  // namespace troupe::workloads
