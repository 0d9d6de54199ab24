// The instance types that a topology may name, as the cloud and Karpenter see them.
#pragma once

#include <string>
#include <vector>

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/hosts.pb.h"

namespace troupe::config {

/// The catalogue's type of this name, or null.
[[nodiscard]] const InstanceTypeSpec* find_instance_type(const Inputs& inputs,
                                                         const std::string& name);
/// The GPU of this name or alias, or null.
[[nodiscard]] const serving::GpuSpec* find_gpu(const Inputs& inputs, const std::string& name);
/// Micro-dollars an hour of a whole instance; 0 where the type is not sold this way.
[[nodiscard]] std::int64_t price_of(const InstanceTypeSpec& type, const std::string& capacity_type);
/// What the cloud of the topology can launch: its types with an offering for each zone and way to
/// pay.
[[nodiscard]] std::vector<hosts::InstanceType> cloud_instance_types(const Inputs& inputs,
                                                                    Problems& problems);

}  // namespace troupe::config
