// The agents that run on every node beside its pods: the DCGM exporter, the summary API's agent.
//
// In life they are DaemonSet pods or part of the kubelet's own process; here the kubelet spawns
// them on its host, made by whoever wires the program, and knows nothing of what they do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "messages/hosts.pb.h"

namespace troupe::kubelet {

struct NodeAgent {
  std::string name;  ///< its path is `node/NAME/<name>`: "dcgm-exporter"
  std::unique_ptr<Actor> actor;
};

class NodeAgents {
 public:
  virtual ~NodeAgents() = default;
  [[nodiscard]] virtual std::vector<NodeAgent> make(const hosts::NodeConfig& node) const = 0;
};

}  // namespace troupe::kubelet
