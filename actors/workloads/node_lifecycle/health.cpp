#include "actors/workloads/node_lifecycle/health.h"

#include "messages/conditions.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kReady = "Ready";
constexpr std::string_view kUnknown = "Unknown";

/// The condition types that the controller gives up for a silent node; the network's is not the
/// kubelet's.
constexpr std::string_view kKubeletConditions[] = {kReady, "MemoryPressure", "DiskPressure",
                                                   "PIDPressure"};

}  // namespace

std::string_view readiness_of(const k8s::Node& node) {
  const k8s::Condition* ready = find_condition(node.status().conditions(), kReady);
  return ready != nullptr ? std::string_view(ready->status()) : std::string_view();
}

std::optional<k8s::NodeStatus> silent_status(const k8s::Node& node, SimTime now) {
  k8s::NodeStatus status = node.status();
  auto& conditions = *status.mutable_conditions();
  bool changed = false;
  for (const std::string_view type : kKubeletConditions) {
    const k8s::Condition* before = find_condition(conditions, type);
    if (before == nullptr) {
      set_condition(conditions,
                    {type, kUnknown, "NodeStatusNeverUpdated", "Kubelet never posted node status."},
                    now);
      conditions.rbegin()->set_last_heartbeat_time(node.metadata().creation_timestamp());
      changed = true;
    } else if (before->status() != kUnknown) {
      set_condition(conditions,
                    {type, kUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."},
                    now);
      changed = true;
    }
  }
  if (!changed) return std::nullopt;
  return status;
}

bool NodeHealth::is_silent(const k8s::Node& node, SimTime now) {
  const std::string& name = node.metadata().name();
  const k8s::Condition* ready = find_condition(node.status().conditions(), kReady);
  std::optional<std::int64_t> heartbeat;
  if (ready != nullptr) heartbeat = ready->last_heartbeat_time();
  auto [at, added] = records_.try_emplace(name);
  Record& record = at->second;
  if (added || record.uid != node.metadata().uid()) {
    record = {node.metadata().uid(), heartbeat,
              ready != nullptr ? now : from_ns(node.metadata().creation_timestamp())};
  } else if (record.heartbeat != heartbeat) {
    record.heartbeat = heartbeat;
    record.seen = now;
  }
  if (renewed_.erase(name) > 0) record.seen = now;
  return now > record.seen + (ready != nullptr ? options_.grace : options_.startup_grace);
}

void NodeHealth::forget(const std::string& node) {
  records_.erase(node);
  renewed_.erase(node);
}

void NodeHealth::begin_anew(SimTime now) {
  for (auto& [name, record] : records_) record.seen = now;
}

}  // namespace troupe::workloads
