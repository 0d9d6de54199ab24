#include "actors/telemetry/resource_usage.h"

#include <algorithm>

#include "messages/int128.h"

namespace troupe::telemetry {

void ResourceUsage::store(const std::string& node, const NodeSummaryReply& summary) {
  const SimTime time = from_ns(summary.collected_ns());
  std::map<PodKey, Pod> fresh;
  for (const ContainerUsage& usage : summary.containers()) {
    const PodKey key{usage.namespace_(), usage.pod()};
    const Container* known = nullptr;
    if (const auto pod = pods_.find(key); pod != pods_.end()) {
      const auto container = pod->second.containers.find(usage.container());
      if (container != pod->second.containers.end()) known = &container->second;
    }
    Pod& pod = fresh[key];
    pod.node = node;
    pod.containers[usage.container()] = follow(known, usage, time);
  }
  forget_node(node);
  for (auto& [key, pod] : fresh) {
    pods_of_[node].insert(key);
    pods_[key] = std::move(pod);
  }
}

void ResourceUsage::forget_node(const std::string& node) {
  for (const PodKey& key : pods_of_[node]) {
    const auto pod = pods_.find(key);
    // A pod of that name may run on another node by now.
    if (pod != pods_.end() && pod->second.node == node) pods_.erase(pod);
  }
  pods_of_.erase(node);
}

ResourceUsage::Container ResourceUsage::follow(const Container* known, const ContainerUsage& usage,
                                               SimTime time) {
  const SimTime started = from_ns(usage.started_ns());
  const Look look{time, usage.cpu_core_ns(), usage.memory_working_set_bytes()};
  // A container that started anew counts from zero: its earlier looks say nothing.
  if (known == nullptr || known->started != started) return {started, std::nullopt, look};
  if (known->last.time >= time) return *known;
  return {started, known->last, look};
}

std::optional<MetricValue> ResourceUsage::figure(const Container& container,
                                                 const std::string& resource) {
  if (!container.before) return std::nullopt;
  const Duration window = container.last.time - container.before->time;
  MetricValue value;
  value.set_timestamp_ns(to_ns(container.last.time));
  value.set_window_ns(window.count());
  if (resource == "memory") {
    value.set_milli(container.last.memory_bytes * 1000);
  } else if (resource == "cpu") {
    const Int128 used = container.last.cpu_core_ns - container.before->cpu_core_ns;
    value.set_milli(static_cast<std::int64_t>(used * 1000 / window.count()));
  } else {
    return std::nullopt;
  }
  return value;
}

std::optional<MetricValue> ResourceUsage::usage(const PodKey& pod, const std::string& resource,
                                                const std::string& container) const {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return std::nullopt;
  std::optional<MetricValue> sum;
  for (const auto& [name, state] : found->second.containers) {
    const std::optional<MetricValue> value = figure(state, resource);
    if (!value) return std::nullopt;
    if (!container.empty() && container != name) continue;
    if (!sum) {
      sum = value;
    } else {
      sum->set_milli(sum->milli() + value->milli());
      sum->set_timestamp_ns(std::min(sum->timestamp_ns(), value->timestamp_ns()));
    }
  }
  if (sum) sum->set_pod(pod.pod);
  return sum;
}

}  // namespace troupe::telemetry
