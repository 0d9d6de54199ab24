// What a Service's slices say about one pod.
//
// kubernetes/kubernetes, staging/src/k8s.io/endpointslice: podToEndpoint, getEndpointPorts and
// FindPort. An address is the path of the pod's actor, which the kubelet writes as its podIP; there
// is one address family, called IPv4.
#pragma once

#include <string>
#include <vector>

#include "messages/k8s/core.pb.h"
#include "messages/k8s/discovery.pb.h"

namespace troupe::workloads {

/// True of a pod that belongs into slices: it has an address and has not ended. One that is
/// terminating still does.
[[nodiscard]] bool is_endpoint(const k8s::Pod& pod);

/// The endpoint of a pod; `node` may be null.
[[nodiscard]] k8s::Endpoint endpoint_of(const k8s::Pod& pod, const k8s::Node* node,
                                        const k8s::Service& service);

/// The ports of the Service as this pod has them, in an order of their own. A named target port
/// that the pod does not have is left out.
[[nodiscard]] std::vector<k8s::EndpointPort> ports_of(const k8s::Pod& pod,
                                                      const k8s::Service& service);

/// What makes two endpoints the same one, whatever else they say: address, host name and pod.
[[nodiscard]] std::string identity_of(const k8s::Endpoint& endpoint);

/// True if a change of the pod can change an endpoint: labels, host name, readiness, deletion,
/// address, or that it has ended.
[[nodiscard]] bool changes_endpoints(const k8s::Pod& before, const k8s::Pod& after);

}  // namespace troupe::workloads
