#include "emulator/config/resolve.h"

#include <cmath>
#include <set>

#include "emulator/config/control_plane_plan.h"
#include "emulator/config/event_plan.h"
#include "emulator/config/expectation_plan.h"
#include "emulator/config/fault_plan.h"
#include "emulator/config/manifest_checks.h"
#include "emulator/config/network_plan.h"
#include "emulator/config/node_plan.h"
#include "emulator/config/reference_checks.h"
#include "emulator/config/score_plan.h"
#include "emulator/config/serving_plan.h"
#include "emulator/config/toy_plan.h"
#include "emulator/config/traffic_plan.h"
#include "emulator/config/values.h"

namespace troupe::config {
namespace {

constexpr double kTargetShare = 0.99;
constexpr Duration kDurationMax = std::chrono::hours(24 * 366);

void plan_head(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  const Scenario& scenario = inputs.scenario;
  plan.set_scenario(inputs.name);
  plan.set_variant(inputs.variant);
  plan.set_question(scenario.question());
  plan.set_seed(scenario.has_seed() ? scenario.seed() : 1);
  const Duration duration = duration_or(scenario.duration(), Duration::zero());
  if (duration <= Duration::zero() || duration > kDurationMax) {
    problems.add("duration", "expected a length above zero and of at most 366 days");
  }
  plan.set_duration_ns(duration.count());
  plan.set_live(inputs.live);
}

void plan_slo(const Scenario& scenario, plan::RunPlan& plan, Problems& problems) {
  const Slo& spec = scenario.slo();
  plan::Slo& slo = *plan.mutable_slo();
  slo.set_ttft_ns(duration_or(spec.ttft(), Duration::zero()).count());
  slo.set_tpot_ns(duration_or(spec.tpot(), Duration::zero()).count());
  slo.set_e2e_ns(duration_or(spec.e2e(), Duration::zero()).count());
  const double target = spec.has_target_share() ? spec.target_share() : kTargetShare;
  if (target > 1) problems.add("slo.targetShare", "expected a share of at most 1");
  slo.set_target_share_ppm(std::llround(target * 1e6));
}

void plan_gangs(const Scenario& scenario, plan::RunPlan& plan) {
  for (const Gang& spec : scenario.gangs()) {
    plan::GangPlan& gang = *plan.add_gangs();
    gang.set_namespace_(spec.namespace_().empty() ? "default" : spec.namespace_());
    gang.set_gang(gang.namespace_() + "/" + spec.name());
    *gang.mutable_match() = spec.match();
    gang.set_minimum(spec.minimum());
  }
}

// The clients of a Service, its router and its engines speak with one another over the shortest
// links there are, and an engine may land on any node: they stay in one process.
void plan_placement(const Inputs& inputs, plan::RunPlan& plan) {
  plan::PlacementPlan& placement = *plan.mutable_placement();
  for (const Placement::Pin& pin : inputs.scenario.placement().pins()) {
    plan::PlacementPlan::Pin& planned = *placement.add_pins();
    planned.set_host(pin.host());
    planned.set_process(pin.process());
  }
  placement.set_shuffle(inputs.scenario.placement().shuffle());
  if (inputs.scenario.traffic().empty()) return;
  for (const char* kind : {"load", "router", "node"}) placement.add_together(kind);
}

void plan_cluster(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  check_manifests(inputs.manifests, problems);
  const WorkloadPlan workloads = plan_workloads(inputs, problems);
  plan_api_server(inputs, plan);
  plan_controllers(inputs, plan, problems);
  plan_cloud(inputs, workloads, plan, problems);
  plan_nodes(inputs, workloads, plan, problems);
  plan_objects(inputs, plan, problems);
  plan_traffic(inputs, plan, problems);
  check_references(inputs, plan, problems);
}

}  // namespace

plan::RunPlan resolve(const Inputs& inputs, Problems& problems) {
  plan::RunPlan plan;
  plan_head(inputs, plan, problems);
  plan_network(inputs.topology, inputs.scenario, plan, problems);
  plan_slo(inputs.scenario, plan, problems);
  plan_gangs(inputs.scenario, plan);
  plan_placement(inputs, plan);
  if (inputs.scenario.has_toy()) {
    plan_toy(inputs, plan, problems);
  } else {
    plan_cluster(inputs, plan, problems);
    if (problems.empty()) plan_score(inputs, plan);
  }
  plan_faults(inputs, plan, problems);
  plan_expectations(inputs.scenario, plan, problems);
  return plan;
}

}  // namespace troupe::config
