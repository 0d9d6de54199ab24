// The defaults of pods and of the pod templates of workloads.
#pragma once

#include <string>

#include "messages/k8s/pod.pb.h"

namespace troupe::apiserver {

/// core/v1 SetDefaults_PodSpec and SetDefaults_Container: pods and templates alike.
void default_pod_spec(k8s::PodSpec& spec);
/// core/v1 SetDefaults_Pod: a container that has limits requests them. Templates are left as they
/// were written.
void default_pod(k8s::Pod& pod);
/// "Guaranteed", "Burstable" or "BestEffort".
[[nodiscard]] std::string qos_class_of(const k8s::PodSpec& spec);

}  // namespace troupe::apiserver
