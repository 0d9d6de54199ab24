// Load generators, and the routers in front of their services.
#pragma once

#include "emulator/config/inputs.h"
#include "emulator/config/problems.h"
#include "messages/plan.pb.h"

namespace troupe::config {

void plan_traffic(const Inputs& inputs, plan::RunPlan& plan, Problems& problems);
/// "router/NAMESPACE.NAME" of a service "namespace/name".
[[nodiscard]] std::string router_path(const std::string& service);
/// Mean prompt and output tokens of a service's traffic; what the score's best batch is reckoned
/// at. Zero without any.
struct MeanLengths {
  double prompt = 0;
  double output = 0;
};
[[nodiscard]] MeanLengths mean_lengths(const Inputs& inputs, const std::string& service);

}  // namespace troupe::config
