// Whether a pod that was bound to this node may run on it: kubelet's own check, made on what runs
// here now.
//
// The scheduler decided on a cache that may be late, so the node may be full or its GPUs gone by
// the time the pod comes. The kubelet then refuses, and the pod is Failed for good. The order is
// kubelet's: devices first, then the predicates (pods, cpu, memory, others). Limits: no eviction
// manager, no host ports, no node affinity re-check.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "actors/kubelet/device_manager.h"
#include "actors/scheduling/resources.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::kubelet {

/// What a pod asks of its node.
struct PodDemand {
  scheduling::Resources resources;
  DeviceDemand devices;
};
[[nodiscard]] PodDemand demand_of(const k8s::Pod& pod);

/// "0.5" is 500; nothing for what is no fraction between 0 and 1.
[[nodiscard]] std::uint32_t milli_of_fraction(const std::string& text);

class Admission {
 public:
  /// `allocatable` without GPUs: those are the device manager's.
  Admission(scheduling::Resources allocatable, DeviceManager& devices)
      : allocatable_(std::move(allocatable)), devices_(devices) {}

  /// Takes the pod's share of the node, or refuses and takes nothing.
  tl::expected<DeviceGrant, Rejection> admit(const std::string& uid, const PodDemand& demand);
  /// The pod's containers have stopped.
  void release(const std::string& uid);

  [[nodiscard]] std::size_t pods() const { return admitted_.size(); }

 private:
  /// Nothing if the pod fits beside those already admitted.
  [[nodiscard]] std::optional<Rejection> misfit(const scheduling::Resources& wanted) const;

  scheduling::Resources allocatable_;
  DeviceManager& devices_;
  std::map<std::string, scheduling::Resources> admitted_;
  scheduling::Resources used_;
};

}  // namespace troupe::kubelet
