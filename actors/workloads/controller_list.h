// The controllers of the manager, in the order in which they hear of a change.
#pragma once

#include <memory>
#include <vector>

#include "actors/workloads/core/controller.h"
#include "messages/hosts.pb.h"

namespace troupe::workloads {

[[nodiscard]] std::vector<std::unique_ptr<Controller>> all_controllers(
    SharedInformers& informers, const hosts::WorkloadControllersConfig& config,
    const hosts::NodeLifecycleConfig& nodes);

}  // namespace troupe::workloads
