// top: what is asked for and what is busy. Nodes and pods by requests, since the emulation's
// metrics-server is an actor, and asking it would change the run.
#include "emulator/console/command_line.h"
#include "emulator/console/read_commands.h"
#include "messages/k8s/core.pb.h"
#include "messages/labels.h"

namespace troupe::console {
namespace {

constexpr const char* kTopUsage = "usage: top nodes|pods|gpus [-n NAMESPACE | -A]";

struct Asked {
  std::int64_t cpu_milli = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;
};

Asked requests_of(const k8s::Pod& pod) {
  Asked asked;
  for (const k8s::Container& container : pod.spec().containers()) {
    const auto& requests = container.resources().requests();
    asked.cpu_milli += amount_of(requests, "cpu").to_milli();
    asked.memory += amount_of(requests, "memory").to_whole();
    asked.gpus += amount_of(container.resources().limits(), "nvidia.com/gpu").to_whole();
  }
  return asked;
}

std::string cpu(std::int64_t milli) {
  return std::to_string(milli) + "m";
}
std::string mebi(std::int64_t bytes) {
  return std::to_string(bytes >> 20) + "Mi";
}
std::string percent(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? "" : std::to_string(part * 100 / whole) + "%";
}

Table top_nodes(const RunView& run) {
  std::map<std::string, Asked> by_node;
  for (const auto& [key, object] : run.view.objects("Pod")) {
    const auto& pod = *object.as<k8s::Pod>();
    const std::string& phase = pod.status().phase();
    if (phase == "Succeeded" || phase == "Failed") continue;
    const Asked asked = requests_of(pod);
    Asked& total = by_node[pod.spec().node_name()];
    total.cpu_milli += asked.cpu_milli;
    total.memory += asked.memory;
    total.gpus += asked.gpus;
  }
  Table table{{"NAME", "CPU(requested)", "CPU%", "MEMORY(requested)", "MEMORY%", "GPUS", "GPU%"},
              {}};
  for (const auto& [name, object] : run.view.objects("Node")) {
    const ResourceMap& there = object.as<k8s::Node>()->status().allocatable();
    const Asked& asked = by_node[name];
    const std::int64_t gpus = amount_of(there, "nvidia.com/gpu").to_whole();
    table.rows.push_back(
        {name, cpu(asked.cpu_milli), percent(asked.cpu_milli, amount_of(there, "cpu").to_milli()),
         mebi(asked.memory), percent(asked.memory, amount_of(there, "memory").to_whole()),
         std::to_string(asked.gpus) + "/" + std::to_string(gpus), percent(asked.gpus, gpus)});
  }
  return table;
}

Table top_pods(const RunView& run, const CommandLine& line) {
  const bool all = line.has("all-namespaces");
  const std::string name_space = line.get("namespace", "default");
  Table table{{"NAME", "CPU(requested)", "MEMORY(requested)", "GPUS", "BUSY"}, {}};
  if (all) table.head.insert(table.head.begin(), "NAMESPACE");
  for (const auto& [key, object] : run.view.objects("Pod")) {
    const auto& pod = *object.as<k8s::Pod>();
    if (!all && pod.metadata().namespace_() != name_space) continue;
    const Asked asked = requests_of(pod);
    const auto view = run.view.pods().find(pod.metadata().uid());
    const bool busy = view != run.view.pods().end() && view->second.busy;
    std::vector<std::string> row{pod.metadata().name(), cpu(asked.cpu_milli), mebi(asked.memory),
                                 std::to_string(asked.gpus), busy ? "yes" : "no"};
    if (all) row.insert(row.begin(), pod.metadata().namespace_());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table top_gpus(const RunView& run) {
  Table table{{"NODE", "GPUS", "BUSY", "GIVEN", "FREE", "FAULTY"}, {}};
  for (const auto& [node, there] : run.view.gpus()) {
    std::size_t busy = 0, given = 0, free = 0, faulty = 0;
    for (const GpuView& gpu : there.gpus) {
      bool works = false;
      for (const auto& [uid, milli] : gpu.pods) {
        const auto pod = run.view.pods().find(uid);
        works = works || (pod != run.view.pods().end() && pod->second.busy);
      }
      busy += works ? 1 : 0;
      given += gpu.pods.empty() ? 0 : 1;
      faulty += gpu.fault.empty() ? 0 : 1;
      free += gpu.pods.empty() && gpu.fault.empty() && gpu.allocatable ? 1 : 0;
    }
    if (there.gpus.empty()) continue;
    table.rows.push_back({node, std::to_string(there.gpus.size()), std::to_string(busy),
                          std::to_string(given), std::to_string(free), std::to_string(faulty)});
  }
  return table;
}

}  // namespace

Answer top(const RunView& run, const std::vector<std::string>& words, bool json) {
  const Result<CommandLine> line =
      parse_words(words, {{'n', "namespace"}, {'A', "all-namespaces", false}});
  if (!line) return bad_usage(line.error().message + "\n" + kTopUsage);
  if (line->arguments.size() != 1) return bad_usage(kTopUsage);
  const std::string& what = line->arguments.front();
  Table table;
  if (what == "nodes" || what == "node") {
    table = top_nodes(run);
  } else if (what == "pods" || what == "pod") {
    table = top_pods(run, *line);
  } else if (what == "gpus" || what == "gpu") {
    table = top_gpus(run);
  } else {
    return bad_usage(kTopUsage);
  }
  Answer answer{control::Reply::OK, "", table_json(table)};
  answer.text = json                 ? answer.json.dump(2) + "\n"
                : table.rows.empty() ? std::string("No resources found\n")
                                     : print_table(table);
  return answer;
}

}  // namespace troupe::console
