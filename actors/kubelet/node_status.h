// The Node object as its kubelet registers and reports it.
#pragma once

#include <cstdint>
#include <string>

#include "actors/kubelet/image_store.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/sim_time.h"

namespace troupe::kubelet {

/// What a node's status is made from.
struct NodeFacts {
  const hosts::NodeConfig& config;
  SimTime now;
  bool network_ready = false;
  std::uint32_t gpu_capacity = 0;
  std::uint32_t gpu_allocatable = 0;
  const ImageStore& images;
};

/// The id that ties a Node to its instance; a node that the topology lists has "troupe://NAME".
[[nodiscard]] std::string provider_id_of(const hosts::NodeConfig& config);

/// The whole object, for its registration.
[[nodiscard]] k8s::Node node_of(const NodeFacts& facts);
/// The status alone. Conditions of others are kept from `before`; transition times move with the
/// status only.
[[nodiscard]] k8s::NodeStatus status_of(const NodeFacts& facts, const k8s::NodeStatus& before);

}  // namespace troupe::kubelet
