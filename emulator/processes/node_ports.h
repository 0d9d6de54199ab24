// What the kubelet leaves open: which engine a serving pod runs, which agents every node has.
#pragma once

#include "actors/kubelet/kubelet.h"

namespace troupe {

/// Adapters around actors/serving and actors/telemetry, without state of their own; they live as
/// long as the program.
[[nodiscard]] kubelet::KubeletPorts node_ports();

}  // namespace troupe
