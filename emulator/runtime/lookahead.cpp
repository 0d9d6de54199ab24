#include "emulator/runtime/lookahead.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "messages/address.h"

namespace troupe {
namespace {

using Processes = std::set<std::uint32_t>;

// Where hosts of each kind are, or may be once they begin.
std::map<std::string, Processes> processes_by_kind(const plan::RunPlan& plan,
                                                   const Placement& placement) {
  std::map<std::string, Processes> kinds;
  bool launches_nodes = false;
  for (const plan::HostPlan& host : plan.hosts()) {
    const std::string kind = host.path().substr(0, host.path().find('/'));
    kinds[kind].insert(placement.process_of(host_hash(host.path())));
    launches_nodes = launches_nodes || kind == "cloud";
  }
  if (launches_nodes) {
    // Any name may come: with one node, where all go together; else anywhere.
    Processes& nodes = kinds["node"];
    nodes.insert(placement.process_of(host_hash("node/launched")));
    if (!placement.keeps_together(host_kind("node"))) {
      for (std::uint32_t i = 0; i < placement.processes(); ++i) nodes.insert(i);
    }
  }
  return kinds;
}

// Who is at one end at least of each message on a link that has such a hub; empty for the data
// plane, on which clients, routers and engines speak with one another.
std::string hub_of(Link link) {
  switch (link) {
    case Link::Api:
    case Link::Watch:
      return "apiserver";
    case Link::Cloud:
    case Link::Lifecycle:
      return "cloud";
    case Link::Scrape:
      return "telemetry";
    case Link::DataPlane:
      break;
  }
  return "";
}

bool may_cross(const std::map<std::string, Processes>& kinds, Link link) {
  const std::string hub = hub_of(link);
  if (!hub.empty() && !kinds.contains(hub)) return false;
  Processes all;
  for (const auto& [kind, processes] : kinds) {
    const bool speaks = !hub.empty() || kind == "load" || kind == "router" || kind == "node";
    if (speaks) all.insert(processes.begin(), processes.end());
  }
  return all.size() > 1;
}

}  // namespace

Duration word_of_director(const LatencyModel& latencies) {
  return std::min(fact_latency(latencies), latencies.minimum(Link::Lifecycle));
}

std::optional<Duration> lookahead(const plan::RunPlan& plan, const Placement& placement,
                                  const LatencyModel& latencies) {
  const std::map<std::string, Processes> kinds = processes_by_kind(plan, placement);
  std::optional<Duration> smallest;
  for (std::size_t i = 0; i < kLinkNames.size(); ++i) {
    const Link link = static_cast<Link>(i);
    if (!may_cross(kinds, link)) continue;
    const Duration latency = latencies.minimum(link);
    smallest = smallest ? std::min(*smallest, latency) : latency;
  }
  if (plan.director_acts() && placement.processes() > 1) {
    // Facts come to the director from any host, and its word goes to any.
    const Duration word = word_of_director(latencies);
    smallest = smallest ? std::min(*smallest, word) : word;
  }
  return smallest;
}

}  // namespace troupe
