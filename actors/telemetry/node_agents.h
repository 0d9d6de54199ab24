// The telemetry agents of a node, as the kubelet spawns them beside its pods.
#pragma once

#include <vector>

#include "actors/kubelet/node_agents.h"

namespace troupe::telemetry {

/// The summary endpoint on every node; the DCGM exporter where the configuration asks for it and
/// there are GPUs.
class TelemetryAgents final : public kubelet::NodeAgents {
 public:
  [[nodiscard]] std::vector<kubelet::NodeAgent> make(const hosts::NodeConfig& node) const override;
};

}  // namespace troupe::telemetry
