// Latencies: the built-in ones, what the topology says, what the scenario overrides.
#pragma once

#include "emulator/config/problems.h"
#include "messages/plan.pb.h"
#include "messages/scenario.pb.h"
#include "messages/topology.pb.h"

namespace troupe::config {

void plan_network(const Topology& topology, const Scenario& scenario, plan::RunPlan& plan,
                  Problems& problems);

}  // namespace troupe::config
