// What the containers of a pod do: the part of a pod that no manifest says, looked up by the pod's
// labels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/kubelet/device_manager.h"
#include "actors/kubelet/workload_factory.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::kubelet {

class WorkloadCatalog {
 public:
  /// `attachments`: what came with the host's configuration, among it the ServingWorkloads that
  /// profiles name.
  WorkloadCatalog(std::shared_ptr<const hosts::NodeConfig> config,
                  std::vector<Payload> attachments);

  /// The first profile whose labels the pod all has; a pod without one waits for ever ("pause").
  [[nodiscard]] const hosts::WorkloadProfile& profile_of(const k8s::Pod& pod) const;
  /// What an engine must know to start for this pod.
  [[nodiscard]] WorkloadSpec serving_spec(const k8s::Pod& pod, const DeviceGrant& devices,
                                          std::uint32_t restarts) const;

 private:
  std::shared_ptr<const hosts::NodeConfig> config_;
  std::vector<Payload> attachments_;
};

/// The index of the container that the profile speaks of: the first that asks for GPUs, else the
/// first.
[[nodiscard]] int workload_container(const k8s::PodSpec& spec);

}  // namespace troupe::kubelet
