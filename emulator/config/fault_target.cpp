#include "emulator/config/fault_target.h"

#include <algorithm>
#include <set>

#include "emulator/config/election_plan.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/glob.h"
#include "messages/hosts.pb.h"

namespace troupe::config {
namespace {

constexpr std::size_t kListed = 200;  ///< characters of known hosts in a message

bool is_node_scope(FaultScope scope) {
  return scope == FaultScope::Node || scope == FaultScope::Gpu || scope == FaultScope::Instance;
}

std::string fixed_path(FaultScope scope, const std::string& named) {
  switch (scope) {
    case FaultScope::Cloud:
      return "cloud/0";
    case FaultScope::ApiServer:
      return "apiserver/*";
    case FaultScope::Telemetry:
      return "telemetry/0";
    default:
      return "load/" + (named.empty() ? "*" : named);
  }
}

}  // namespace

void TargetResolver::check_fields(const FaultTarget& target, FaultScope scope,
                                  const std::string& path) const {
  const auto allow = [&](bool allowed, bool given, const char* field) {
    if (!allowed && given) {
      problems_.add(path + "." + field, "this fault has no such target");
    }
  };
  const bool pod = scope == FaultScope::Pod;
  allow(scope == FaultScope::Host || scope == FaultScope::ApiServer, !target.host().empty(),
        "host");
  allow(is_node_scope(scope), !target.node().empty(), "node");
  allow(pod, !target.pod().empty(), "pod");
  allow(pod, !target.namespace_().empty(), "namespace");
  allow(pod || is_node_scope(scope), !target.labels().empty(), "labels");
  allow(scope == FaultScope::Process, !target.process().empty(), "process");
  if ((target.mode() == "fixed") != (target.count() > 0)) {
    problems_.add(path, "expected `mode: fixed` and `count` together");
  }
}

void TargetResolver::read_mode(const FaultTarget& target, bool exact, const std::string&,
                               fault::Target& sought) const {
  if (target.mode() == "all" || (target.mode().empty() && exact)) {
    sought.set_mode(fault::Target::ALL);
  } else if (target.mode() == "fixed") {
    sought.set_mode(fault::Target::FIXED);
    sought.set_count(target.count());
  } else {
    sought.set_mode(target.mode() == "random" ? fault::Target::RANDOM : fault::Target::ONE);
  }
}

std::vector<std::string> TargetResolver::hosts(const std::string& pattern,
                                               const std::string& path) const {
  std::vector<std::string> found;
  std::string known;
  for (const plan::HostPlan& host : plan_.hosts()) {
    if (matches_glob(pattern, host.path())) found.push_back(host.path());
    if (known.size() <= kListed) known += (known.empty() ? "" : ", ") + host.path();
  }
  if (known.size() > kListed) known += ", ...";
  if (found.empty() && !is_glob(pattern) && may_come(pattern)) found.push_back(pattern);
  if (found.empty()) problems_.add(path, "no host '" + pattern + "'; there are " + known);
  return found;
}

bool TargetResolver::any(const std::string& pattern) const {
  return std::any_of(plan_.hosts().begin(), plan_.hosts().end(),
                     [&](const auto& host) { return matches_glob(pattern, host.path()); });
}

FaultTargets TargetResolver::resolve(const Fault& fault, const FaultFrame& frame,
                                     const FaultKind& kind, const FaultAction& action) const {
  const FaultTarget& target = fault.target();
  const std::string path = frame.path + ".target";
  if (fault.has_target()) check_fields(target, kind.scope, path);
  if (is_node_scope(kind.scope)) return of_nodes(fault, frame, kind, action);
  if (kind.scope == FaultScope::Pod) return of_pods(fault, frame);
  if (kind.scope == FaultScope::Process) return of_processes(fault, frame, kind, action);
  FaultTargets targets;
  targets.known = true;
  if (kind.scope == FaultScope::Host) {
    const std::string pattern = action.named.empty() ? target.host() : action.named;
    if (pattern.empty()) {
      problems_.add(frame.path, "expected whom: `target: {host: ...}`");
      return targets;
    }
    if (has_cloud() && pattern.starts_with("node/") && is_glob(pattern)) {
      targets.known = false;
      targets.sought.set_kind(fault::Target::NODES);
      targets.sought.set_name(pattern.substr(std::string("node/").size()));
    } else {
      targets.paths = hosts(
          pattern, action.named.empty() ? path + ".host" : frame.path + "." + action.named_path);
    }
    read_mode(target, !is_glob(pattern), path, targets.sought);
    if (fault.has_leader_election_overlap()) {
      return of_election(fault, frame, std::move(targets));
    }
    return targets;
  }
  if (kind.scope == FaultScope::Cloud && !has_cloud()) {
    problems_.add(frame.path + "." + std::string(kind.key), "expected a topology with a cloud");
    return targets;
  }
  const std::string pattern = kind.scope == FaultScope::ApiServer && !target.host().empty()
                                  ? target.host()
                                  : fixed_path(kind.scope, action.named);
  targets.paths =
      hosts(pattern, frame.path + "." +
                         (action.named_path.empty() ? std::string(kind.key) : action.named_path));
  if (kind.scope == FaultScope::Telemetry) {
    for (std::string& host : targets.paths) host += "/prometheus";
  }
  read_mode(target, true, path, targets.sought);
  return targets;
}

FaultTargets TargetResolver::of_nodes(const Fault& fault, const FaultFrame& frame,
                                      const FaultKind& kind, const FaultAction& action) const {
  const FaultTarget& target = fault.target();
  FaultTargets targets;
  if (kind.scope == FaultScope::Instance && !has_cloud()) {
    problems_.add(frame.path + "." + std::string(kind.key), "expected a topology with a cloud");
    return targets;
  }
  const std::string name = action.named.empty() ? target.node() : action.named;
  fault::Target& sought = targets.sought;
  sought.set_kind(kind.scope == FaultScope::Gpu ? fault::Target::GPUS : fault::Target::NODES);
  sought.set_name(name);
  if (action.gpu) sought.set_gpu(*action.gpu);
  for (const KeyValue& label : target.labels()) {
    auto* added = sought.add_labels();
    added->set_key(label.key());
    added->set_value(label.value());
  }
  const bool exact = !name.empty() && !is_glob(name);
  read_mode(target, exact, frame.path + ".target", sought);
  if (name.empty() && target.labels().empty()) {
    if (fault.has_target()) return targets;  // any node
    if (!frame.has_condition) {
      problems_.add(frame.path, "expected whom: `target: {node: ...}`");
      return targets;
    }
    check_named_by_fact(frame, "node");
    sought.set_of_fact(true);
    sought.set_mode(fault::Target::ALL);
    return targets;
  }
  const std::string at =
      frame.path + (action.named.empty() ? ".target.node" : "." + action.named_path);
  if (!exact && (has_cloud() || !target.labels().empty())) return targets;
  const std::vector<std::string> nodes = hosts("node/" + name, at);
  const bool listed = any("node/" + name);
  if (kind.scope == FaultScope::Gpu && exact && !listed && !action.gpu) return targets;
  targets.known = target.labels().empty();
  for (const std::string& node : nodes) {
    if (kind.scope != FaultScope::Gpu) {
      targets.paths.push_back(node);
      continue;
    }
    for (std::string& gpu : gpus_of(node, action.gpu, frame.path + "." + std::string(kind.key))) {
      targets.paths.push_back(std::move(gpu));
    }
  }
  return targets;
}

FaultTargets TargetResolver::of_pods(const Fault& fault, const FaultFrame& frame) const {
  const FaultTarget& target = fault.target();
  FaultTargets targets;
  fault::Target& sought = targets.sought;
  sought.set_kind(fault::Target::PODS);
  if (!fault.has_target()) {
    if (!frame.has_condition) {
      problems_.add(frame.path, "expected whom: `target: {pod: ...}`");
      return targets;
    }
    check_named_by_fact(frame, "uid");
    sought.set_of_fact(true);
    return targets;
  }
  sought.set_name(target.pod());
  sought.set_namespace_(target.namespace_());
  for (const KeyValue& label : target.labels()) {
    auto* added = sought.add_labels();
    added->set_key(label.key());
    added->set_value(label.value());
  }
  read_mode(target, !target.pod().empty() && !is_glob(target.pod()), frame.path + ".target",
            sought);
  return targets;
}

FaultTargets TargetResolver::of_election(const Fault& fault, const FaultFrame& frame,
                                         FaultTargets targets) const {
  const bool leader = !fault.leader_election_overlap().controller().empty();
  if (leader && fault.has_target()) {
    problems_.add(frame.path + ".target", "said twice: expected `controller` or a target");
  }
  for (const plan::HostPlan& host : plan_.hosts()) {
    if (std::find(targets.paths.begin(), targets.paths.end(), host.path()) == targets.paths.end()) {
      continue;
    }
    const auto election = planned_election(host);
    if (!election) {
      problems_.add(frame.path + ".leaderElectionOverlap",
                    host.path() + " elects no leader: expected `replicas` of the controller");
    } else if (leader) {
      targets.known = false;
      targets.sought.set_kind(fault::Target::LEADER);
      targets.sought.set_namespace_(election->namespace_());
      targets.sought.set_name(election->lease());
    }
  }
  return targets;
}

// A set of hosts is hit as a whole. A process is sought by the launcher, who knows how many there
// are.
FaultTargets TargetResolver::of_processes(const Fault& fault, const FaultFrame& frame,
                                          const FaultKind& kind, const FaultAction& action) const {
  FaultTargets targets;
  targets.known = true;
  const std::string& process = fault.target().process();
  if (!process.empty()) {
    read_mode(fault.target(), !is_glob(process), frame.path + ".target", targets.sought);
    targets.paths.push_back("process/" + process);
    return targets;
  }
  if (fault.has_target()) {
    problems_.add(frame.path + ".target", "said twice: expected `hosts` or a target");
  }
  const std::string path = frame.path + "." + std::string(kind.key) + ".hosts";
  std::set<std::string> all;
  for (std::size_t i = 0; i < action.hosts.size(); ++i) {
    for (std::string& host : hosts(action.hosts[i], path + "[" + std::to_string(i) + "]")) {
      all.insert(std::move(host));
    }
  }
  targets.paths.assign(all.begin(), all.end());
  return targets;
}

void TargetResolver::check_named_by_fact(const FaultFrame& frame, const char* field) const {
  const auto* type =
      facts::PodBound::descriptor()->file()->FindMessageTypeByName(frame.condition.fact());
  if (type == nullptr || type->FindFieldByName(field) != nullptr) return;
  problems_.add(frame.path,
                "the fact " + frame.condition.fact() + " does not say whom: expected a `target`");
}

std::vector<std::string> TargetResolver::gpus_of(const std::string& node,
                                                 std::optional<std::uint32_t> gpu,
                                                 const std::string& path) const {
  std::optional<std::uint32_t> count;
  for (const plan::HostPlan& one : plan_.hosts()) {
    if (one.path() != node) continue;
    const Result<Payload> config = from_envelope(one.attachments(0));
    const auto* spec = config ? config->as<hosts::NodeConfig>() : nullptr;
    if (spec != nullptr) count = spec->gpus();
  }
  const auto path_of = [&node](std::uint32_t i) { return node + "/gpu/" + std::to_string(i); };
  if (gpu && count && *gpu >= *count) {
    problems_.add(path + ".gpu", "node '" + node.substr(node.find('/') + 1) + "' has " +
                                     std::to_string(*count) + " GPUs, counted from 0");
  }
  if (gpu) return {path_of(*gpu)};
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < count.value_or(0); ++i) all.push_back(path_of(i));
  return all;
}

}  // namespace troupe::config
