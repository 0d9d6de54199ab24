#include "actors/telemetry/node_agents.h"

#include "actors/telemetry/dcgm_exporter.h"
#include "actors/telemetry/node_summary.h"

namespace troupe::telemetry {

std::vector<kubelet::NodeAgent> TelemetryAgents::make(const hosts::NodeConfig& node) const {
  std::vector<kubelet::NodeAgent> agents;
  agents.push_back({"summary", std::make_unique<NodeSummaryActor>("node/" + node.name())});
  if (node.dcgm_exporter() && node.gpus() > 0) {
    DcgmExporterOptions options;
    options.node = node.name();
    options.gpus = node.gpus();
    if (node.dcgm_period_ns() > 0) options.period = Duration{node.dcgm_period_ns()};
    agents.push_back({"dcgm-exporter", std::make_unique<DcgmExporterActor>(options)});
  }
  return agents;
}

}  // namespace troupe::telemetry
