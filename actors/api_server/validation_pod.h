// The rules for pods and for the pod templates of workloads.
#pragma once

#include "actors/api_server/status.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::apiserver {

/// `field` is where the spec stands: "spec", or "spec.template.spec".
void validate_pod_spec(FieldErrors& errors, const std::string& field, const k8s::PodSpec& spec);
/// What may not change in a pod that exists.
void validate_pod_update(FieldErrors& errors, const k8s::Pod& after, const k8s::Pod& before);

}  // namespace troupe::apiserver
