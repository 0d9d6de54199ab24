// What the pods of a scenario do: engines, jobs.
#pragma once

#include <vector>

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/hosts.pb.h"

namespace troupe::config {

struct WorkloadPlan {
  std::vector<hosts::WorkloadProfile> profiles;
  std::vector<Payload>
      serving;  ///< the ServingWorkloads that profiles name: attachments of every node
};

[[nodiscard]] WorkloadPlan plan_workloads(const Inputs& inputs, Problems& problems);
/// "namespace/name" of a Service named with or without its namespace.
[[nodiscard]] std::string service_path(const std::string& service);

}  // namespace troupe::config
