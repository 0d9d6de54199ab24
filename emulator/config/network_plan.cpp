#include "emulator/config/network_plan.h"

#include "actors/distribution.h"
#include "emulator/config/values.h"
#include "emulator/runtime/latency_model.h"
#include "messages/link.h"

namespace troupe::config {
namespace {

void override_link(Link link, bool given, const Time& time, plan::RunPlan& plan,
                   Problems& problems) {
  if (!given) return;
  const std::string path = "network." + std::string(name_of(link));
  const Distribution latency = distribution(time, path, problems);
  // Two hosts that were no time apart could not be told apart in order, nor run in two processes.
  if (smallest_sample(latency) <= Duration::zero()) {
    problems.add(path,
                 "the latency between two hosts needs a minimum above zero: add `minimum: 100us`");
  }
  *plan.mutable_latencies(static_cast<int>(link)) = latency;
}

void apply(const Network& network, plan::RunPlan& plan, Problems& problems) {
  override_link(Link::Api, network.has_api(), network.api(), plan, problems);
  override_link(Link::Watch, network.has_watch(), network.watch(), plan, problems);
  override_link(Link::Cloud, network.has_cloud(), network.cloud(), plan, problems);
  override_link(Link::DataPlane, network.has_data_plane(), network.data_plane(), plan, problems);
  override_link(Link::Scrape, network.has_scrape(), network.scrape(), plan, problems);
  override_link(Link::Lifecycle, network.has_lifecycle(), network.lifecycle(), plan, problems);
}

}  // namespace

void plan_network(const Topology& topology, const Scenario& scenario, plan::RunPlan& plan,
                  Problems& problems) {
  for (const Distribution& latency : LatencyModel::defaults()) *plan.add_latencies() = latency;
  apply(topology.network(), plan, problems);
  apply(scenario.network(), plan, problems);
}

}  // namespace troupe::config
