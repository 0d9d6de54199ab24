#include "emulator/config/traffic_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "actors/load/problem.h"
#include "emulator/config/generator_plan.h"
#include "emulator/config/host_plan.h"
#include "emulator/config/serving_plan.h"
#include "emulator/config/values.h"

namespace troupe::config {
namespace {

using std::chrono::seconds;

constexpr Duration kTimeout = seconds(60);
constexpr std::uint32_t kRouterQueue = 1000;

hosts::RouterConfig router_of(const Load& load) {
  hosts::RouterConfig router;
  router.set_service(service_path(load.service()));
  router.set_policy(load.policy().empty() ? "round-robin" : load.policy());
  router.set_queue_limit(load.router_queue() == 0 ? kRouterQueue : load.router_queue());
  router.mutable_client()->set_api_servers(1);
  return router;
}

load::LoadConfig load_config(const Inputs& inputs, int index, Problems& problems) {
  const Load& spec = inputs.scenario.traffic(index);
  const std::string path = "traffic[" + std::to_string(index) + "]";
  load::LoadConfig config;
  config.set_service(service_path(spec.service()));
  config.set_router(router_path(config.service()));
  config.set_timeout_ns(duration_or(spec.timeout(), kTimeout).count());
  if (spec.has_retry()) {
    config.mutable_retry()->set_retries(spec.retry().attempts());
    config.mutable_retry()->set_first_backoff_ns(
        duration_or(spec.retry().backoff(), Duration::zero()).count());
    config.mutable_retry()->set_backoff_ns_max(
        duration_or(spec.retry().max_backoff(), Duration::zero()).count());
  }
  const std::int64_t start = duration_or(spec.start(), Duration::zero()).count();
  if (spec.has_trace() == spec.has_generator()) {
    problems.add(path, "expected exactly one of `trace` and `generator`");
  } else if (spec.has_trace()) {
    *config.mutable_trace() = inputs.traces.at(static_cast<std::size_t>(index));
    config.mutable_trace()->set_start_ns(start);
  } else {
    *config.mutable_generator() = plan_generator(spec.generator(), path + ".generator", problems);
    config.mutable_generator()->set_start_ns(start);
  }
  return config;
}

double mean_of(const google::protobuf::RepeatedField<std::uint32_t>& values) {
  double sum = 0;
  for (const std::uint32_t value : values) sum += value;
  return values.empty() ? 0 : sum / values.size();
}

}  // namespace

std::string router_path(const std::string& service) {
  std::string name = service;
  std::replace(name.begin(), name.end(), '/', '.');
  return "router/" + name;
}

void plan_traffic(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  std::map<std::string, hosts::RouterConfig> routers;
  std::set<std::string> names;
  std::vector<load::LoadConfig> loads;
  for (int i = 0; i < inputs.scenario.traffic_size(); ++i) {
    const Load& spec = inputs.scenario.traffic(i);
    const std::string path = "traffic[" + std::to_string(i) + "]";
    if (!names.insert(spec.name()).second) {
      problems.add(path + ".name", "a load '" + spec.name() + "' is there already");
    }
    const hosts::RouterConfig router = router_of(spec);
    const auto [known, is_new] = routers.emplace(router.service(), router);
    if (!is_new && known->second.SerializeAsString() != router.SerializeAsString()) {
      problems.add(path,
                   "another load has the same service with another `policy` or `routerQueue`");
    }
    loads.push_back(load_config(inputs, i, problems));
    if (const auto problem = load::problem_of(loads.back()); problem && problems.empty()) {
      problems.add(path, *problem);
    }
  }
  for (auto& [service, router] : routers) {
    add_host(plan, router_path(service), "router", std::move(router));
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::string& name = inputs.scenario.traffic(static_cast<int>(i)).name();
    add_host(plan, "load/" + name, "load", std::move(loads[i]));
  }
}

MeanLengths mean_lengths(const Inputs& inputs, const std::string& service) {
  MeanLengths sum;
  int sources = 0;
  for (int i = 0; i < inputs.scenario.traffic_size(); ++i) {
    const Load& spec = inputs.scenario.traffic(i);
    if (service_path(spec.service()) != service) continue;
    ++sources;
    if (spec.has_trace()) {
      const load::Trace& trace = inputs.traces.at(static_cast<std::size_t>(i));
      sum.prompt += mean_of(trace.prompt_tokens());
      sum.output += mean_of(trace.output_tokens());
    } else {
      sum.prompt += mean_tokens(spec.generator().prompt_tokens());
      sum.output += mean_tokens(spec.generator().output_tokens());
    }
  }
  if (sources == 0) return {};
  return {sum.prompt / sources, sum.output / sources};
}

}  // namespace troupe::config
