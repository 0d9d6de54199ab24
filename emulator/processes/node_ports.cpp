#include "emulator/processes/node_ports.h"

#include "actors/serving/replica_actor.h"
#include "actors/telemetry/dcgm_exporter.h"
#include "actors/telemetry/node_summary.h"

namespace troupe {
namespace {

class Engines final : public kubelet::WorkloadFactory {
 public:
  [[nodiscard]] std::unique_ptr<Actor> make(const kubelet::WorkloadSpec& spec) const override {
    auto workload = spec.serving ? spec.serving.share<serving::ServingWorkload>() : nullptr;
    return serving::make_replica(std::move(workload), spec.placement, spec.loaded);
  }
};

class Agents final : public kubelet::NodeAgents {
 public:
  [[nodiscard]] std::vector<kubelet::NodeAgent> make(const hosts::NodeConfig& node) const override {
    std::vector<kubelet::NodeAgent> agents;
    agents.push_back(
        {"summary", std::make_unique<telemetry::NodeSummaryActor>("node/" + node.name())});
    if (node.gpus() > 0 && node.dcgm_exporter()) {
      telemetry::DcgmExporterOptions options;
      options.node = node.name();
      options.gpus = node.gpus();
      if (node.dcgm_period_ns() > 0) options.period = Duration(node.dcgm_period_ns());
      agents.push_back({"dcgm-exporter", std::make_unique<telemetry::DcgmExporterActor>(options)});
    }
    return agents;
  }
};

}  // namespace

kubelet::KubeletPorts node_ports() {
  static const Engines engines;
  static const Agents agents;
  return {&engines, &agents};
}

}  // namespace troupe
