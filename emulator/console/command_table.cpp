#include "emulator/console/command_table.h"

#include <algorithm>
#include <array>

#include "emulator/config/fault_text.h"
#include "emulator/console/resources.h"

namespace troupe::console {
namespace {

constexpr std::array kCommands = {
    CommandText{"get",
                "get RESOURCE [NAME...] [-n NS | -A] [-l SELECTOR] [-o wide|json|yaml|name] [-w]",
                "objects, and gpus, requests, processes, links, faults, hosts; -w follows"},
    CommandText{"describe", "describe KIND NAME [-n NS]", "an object with what was said about it"},
    CommandText{"explain", "explain KIND NAME [-n NS]",
                "which layer holds an object where it is, with the numbers"},
    CommandText{"top", "top nodes|pods|gpus [-n NS | -A]", "what is asked for, what is busy"},
    CommandText{"watch", "watch events", "follows what is said about objects"},
    CommandText{"status", "status", "where the run stands"},
    CommandText{"pause", "pause", "stands still in virtual time"},
    CommandText{"resume", "resume", "goes on"},
    CommandText{
        "step", "step [N | DURATION]",
        "goes on over the next N moments at which anything happens, or so long; then pauses"},
    CommandText{"speed", "speed X | max", "virtual seconds a wall second"},
    CommandText{"apply", "apply -f FILE [-n NS]", "creates or changes objects"},
    CommandText{"delete", "delete KIND NAME... [-n NS] | delete -f FILE", "deletes objects"},
    CommandText{"scale", "scale KIND NAME... --replicas N [-n NS]", "sets the number of replicas"},
    CommandText{"cordon", "cordon NODE", "nothing new is placed on the node"},
    CommandText{"uncordon", "uncordon NODE", "the opposite"},
    CommandText{"drain", "drain NODE [--ignore-daemonsets] [--force]",
                "cordons the node and evicts its pods"},
    CommandText{"inject", "inject KIND FIELD=VALUE... | inject KIND '{FIELD: VALUE}'",
                "a fault, with the fields that a scenario's `faults` has"},
    CommandText{"heal", "heal NUMBER | heal KIND FIELD=VALUE...",
                "the end of a fault of `get faults`"},
    CommandText{
        "rewind", "rewind TIME",
        "back to that virtual time: what was done by hand before it is kept, the rest dropped"},
    CommandText{"save", "save [scenario] FILE",
                "the scenario with what was done by hand written into it"},
    CommandText{"quit", "quit", "ends the run as it stands"},
    CommandText{"help", "help [COMMAND]", "this"},
};

std::string kinds_of_fault() {
  std::string text;
  for (const std::string& kind : config::fault_kinds()) text += " " + kind;
  return text;
}

std::vector<std::string> names_of(const ClusterView& view, const std::string& resource) {
  std::vector<std::string> names;
  const std::optional<Resource> found = find_resource(resource);
  if (!found || found->kind == nullptr) return names;
  for (const auto& [key, object] : view.objects(found->kind->name)) {
    names.push_back(meta_of(object.message()).name());
  }
  return names;
}

bool takes_kind(const std::string& command) {
  return command == "get" || command == "describe" || command == "explain" || command == "delete" ||
         command == "scale";
}

std::vector<std::string> candidates(const ClusterView& view,
                                    const std::vector<std::string>& words) {
  std::vector<std::string> all;
  if (words.size() <= 1) {
    for (const CommandText& command : kCommands) all.emplace_back(command.name);
    return all;
  }
  const std::string& command = words.front();
  if (command == "cordon" || command == "uncordon" || command == "drain") {
    return names_of(view, "nodes");
  }
  if (words.size() == 2) {
    if (takes_kind(command)) return resource_names();
    if (command == "top") return {"nodes", "pods", "gpus"};
    if (command == "watch") return {"events"};
    if (command == "speed") return {"max"};
    if (command == "inject" || command == "heal") return config::fault_kinds();
    if (command == "help") return candidates(view, {""});
    return all;
  }
  return takes_kind(command) ? names_of(view, words[1]) : all;
}

}  // namespace

std::span<const CommandText> command_texts() {
  return kCommands;
}

Answer help(const std::vector<std::string>& words, bool json) {
  Table table{{"COMMAND", "USAGE", "WHAT"}, {}};
  for (const CommandText& command : kCommands) {
    if (!words.empty() && words.front() != command.name) continue;
    table.rows.push_back({command.name, command.usage, command.what});
  }
  if (table.rows.empty()) return refused("no command \"" + words.front() + "\"");
  Answer answer{control::Reply::OK, "", table_json(table)};
  if (json) {
    answer.text = answer.json.dump(2) + "\n";
    return answer;
  }
  for (const auto& row : table.rows) {
    answer.text += words.empty() ? row[0] + std::string(10 - row[0].size(), ' ') + row[2] + "\n"
                                 : "usage: " + row[1] + "\n" + row[2] + "\n";
  }
  if (!words.empty() && words.front() == "inject") {
    answer.text += "kinds of fault:" + kinds_of_fault() + "\n";
  }
  return answer;
}

std::vector<std::string> completions(const ClusterView& view,
                                     const std::vector<std::string>& words) {
  const std::string prefix = words.empty() ? "" : words.back();
  std::vector<std::string> fitting;
  for (std::string& one : candidates(view, words)) {
    if (one.starts_with(prefix)) fitting.push_back(std::move(one));
  }
  std::sort(fitting.begin(), fitting.end());
  fitting.erase(std::unique(fitting.begin(), fitting.end()), fitting.end());
  return fitting;
}

}  // namespace troupe::console
