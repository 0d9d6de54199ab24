// The status that a kubelet writes for a pod, computed from what its containers do.
#pragma once

#include <optional>
#include <string>

#include "actors/kubelet/container_run.h"
#include "actors/kubelet/rejection.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::kubelet {

/// What a status is made from.
struct PodFacts {
  const k8s::Pod& pod;  ///< as the API server last told it: conditions of others are kept
  const ContainerSet& containers;
  SimTime now;
  SimTime admitted_at;
  std::string pod_ip;  ///< empty until the sandbox is up
  std::string host_ip;
  bool over = false;                ///< nothing of it will run any more
  std::optional<Rejection> failed;  ///< refused, or killed by the kubelet itself (deadline)
};

/// "Pending", "Running", "Succeeded" or "Failed": kubelet's getPhase.
[[nodiscard]] std::string phase_of(const PodFacts& facts);
/// Every main container and sidecar is ready, and every readiness gate of the pod is True.
[[nodiscard]] bool is_ready(const PodFacts& facts);
[[nodiscard]] k8s::PodStatus status_of(const PodFacts& facts);

}  // namespace troupe::kubelet
