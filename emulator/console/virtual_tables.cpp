#include "emulator/console/virtual_tables.h"

#include "messages/link.h"
#include "messages/units.h"

namespace troupe::console {
namespace {

using std::to_string;

std::string pod_of(const ClusterView& view, const std::string& uid) {
  const auto found = view.pods().find(uid);
  return found == view.pods().end() || found->second.name.empty() ? uid : found->second.name;
}

std::string gpu_state(const ClusterView& view, const GpuView& gpu) {
  if (!gpu.fault.empty()) return "Faulty";
  if (!gpu.allocatable) return "NotAllocatable";
  if (gpu.pods.empty()) return "Free";
  for (const auto& [uid, milli] : gpu.pods) {
    const auto pod = view.pods().find(uid);
    if (pod != view.pods().end() && pod->second.busy) return "Busy";
  }
  return "Allocated";
}

Table gpus(const RunView& run, bool wide) {
  Table table{{"NAME", "NODE", "MODEL", "STATUS", "POD"}, {}};
  if (wide) table.head.insert(table.head.end(), {"MILLI", "FAULT"});
  for (const auto& [node, there] : run.view.gpus()) {
    for (std::size_t i = 0; i < there.gpus.size(); ++i) {
      const GpuView& gpu = there.gpus[i];
      std::string pods;
      std::uint32_t milli = 0;
      for (const auto& [uid, share] : gpu.pods) {
        pods += (pods.empty() ? "" : ",") + pod_of(run.view, uid);
        milli += share;
      }
      table.rows.push_back(
          {node + "/" + to_string(i), node, gpu.model, gpu_state(run.view, gpu), pods});
      if (wide) table.rows.back().insert(table.rows.back().end(), {to_string(milli), gpu.fault});
    }
  }
  return table;
}

Table requests(const RunView& run, bool wide) {
  if (wide) {
    Table table{{"ID", "SERVICE", "AGE", "TTFT", "PROMPT", "OUTPUT"}, {}};
    for (const auto& [id, one] : run.view.open_requests()) {
      table.rows.push_back({to_string(id), one.service, age_text((run.now - one.issued).count()),
                            one.ttft_ns == 0 ? "" : seconds_text(one.ttft_ns),
                            to_string(one.prompt_tokens), to_string(one.output_tokens)});
    }
    return table;
  }
  Table table{
      {"SERVICE", "ISSUED", "OPEN", "COMPLETED", "TIMED-OUT", "REJECTED", "FAILED", "MEAN-TTFT"},
      {}};
  for (const auto& [name, one] : run.view.services()) {
    const std::string ttft =
        one.with_token == 0
            ? ""
            : seconds_text(one.ttft_ns_total / static_cast<std::int64_t>(one.with_token) /
                           1'000'000 * 1'000'000);
    table.rows.push_back({name, to_string(one.issued), to_string(one.open),
                          to_string(one.completed), to_string(one.timed_out),
                          to_string(one.rejected), to_string(one.failed), ttft});
  }
  return table;
}

Table processes(const RunView& run) {
  std::string refused;
  for (const auto& [why, count] : run.refused_frames) {
    if (count != 0) refused += (refused.empty() ? "" : ", ") + to_string(count) + " " + why;
  }
  Table table{
      {"NAME", "TIME", "STATE", "SPEED", "MESSAGES", "HOSTS", "CONSOLES", "REFUSED-FRAMES", "WHO"},
      {{"launcher", seconds_text(to_ns(run.now)), run.state, run.speed, to_string(run.delivered),
        to_string(run.view.hosts().size()), to_string(run.consoles), refused, ""}}};
  for (std::size_t i = 0; i < run.workers.size(); ++i) {
    table.rows.push_back({"process/" + to_string(i), "", run.workers[i].state, "", "", "", "", "",
                          run.workers[i].who});
  }
  return table;
}

std::string shape_text(const Distribution& latency) {
  const auto length = [](std::int64_t ns) { return print_duration(Duration(ns)); };
  switch (latency.shape()) {
    case Distribution::UNIFORM:
      return length(latency.a_ns()) + " to " + length(latency.b_ns());
    case Distribution::EXPONENTIAL:
      return "mean " + length(latency.a_ns());
    case Distribution::LOGNORMAL:
      return "median " + length(latency.a_ns()) + ", p90 " + length(latency.b_ns());
    default:
      return length(latency.a_ns());
  }
}

Table links(const RunView& run) {
  Table table{{"NAME", "LATENCY", "MINIMUM"}, {}};
  for (int i = 0; i < run.plan.latencies_size(); ++i) {
    const Distribution& latency = run.plan.latencies(i);
    table.rows.push_back({std::string(kLinkNames.at(static_cast<std::size_t>(i))),
                          shape_text(latency), print_duration(Duration(latency.minimum_ns()))});
  }
  return table;
}

Table faults(const RunView& run) {
  Table table{{"NAME", "KIND", "TARGET", "STATUS", "AT", "AGE"}, {}};
  std::size_t number = 0;
  for (const FaultView& fault : run.view.faults()) {
    table.rows.push_back({to_string(++number), fault.kind,
                          fault.detail.empty() ? fault.target : fault.detail,
                          fault.healed ? "Healed" : "Injected",
                          seconds_text(to_ns(fault.at) / 1'000'000 * 1'000'000),
                          age_text((run.now - fault.at).count())});
  }
  return table;
}

Table hosts(const RunView& run) {
  Table table{{"NAME", "STATUS", "INCARNATION", "CRASHES", "AGE"}, {}};
  for (const auto& [path, host] : run.view.hosts()) {
    table.rows.push_back({path, host.up ? "Up" : "Down", to_string(host.incarnation),
                          to_string(host.crashes), age_text((run.now - host.since).count())});
  }
  return table;
}

}  // namespace

Table virtual_table(const RunView& run, const std::string& name, bool wide) {
  if (name == "gpus") return gpus(run, wide);
  if (name == "requests") return requests(run, wide);
  if (name == "processes") return processes(run);
  if (name == "links") return links(run);
  if (name == "faults") return faults(run);
  return hosts(run);
}

}  // namespace troupe::console
