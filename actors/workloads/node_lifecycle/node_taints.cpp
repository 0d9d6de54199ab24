#include "actors/workloads/node_lifecycle/node_taints.h"

#include <algorithm>

#include "messages/assert.h"
#include "messages/conditions.h"

namespace troupe::workloads {
namespace {

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

/// A condition in that status means that taint.
struct Meaning {
  std::string_view condition;
  std::string_view status;
  std::string_view taint;
};

constexpr Meaning kMeanings[] = {
    {"Ready", "False", kNotReadyTaint},
    {"Ready", "Unknown", kUnreachableTaint},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
};

bool holds(const k8s::Node& node, const Meaning& meaning) {
  const k8s::Condition* found = find_condition(node.status().conditions(), meaning.condition);
  return found != nullptr && found->status() == meaning.status;
}

void settle(const k8s::Node& node, std::string_view key, bool wanted, TaintChange& change) {
  const bool there = find_taint(node.spec().taints(), key, kNoSchedule) != nullptr;
  if (wanted && !there) change.add.push_back(make_taint(key, kNoSchedule));
  if (!wanted && there) change.remove.emplace_back(key, kNoSchedule);
}

}  // namespace

TaintChange condition_taints(const k8s::Node& node) {
  TaintChange change;
  for (const Meaning& meaning : kMeanings) {
    settle(node, meaning.taint, holds(node, meaning), change);
  }
  settle(node, kUnschedulableTaint, node.spec().unschedulable(), change);
  return change;
}

std::string_view eviction_key(std::string_view readiness) {
  TROUPE_ASSERT(readiness == "False" || readiness == "Unknown", "a node that is ready is not left");
  return readiness == "False" ? kNotReadyTaint : kUnreachableTaint;
}

TaintChange eviction_taint(std::string_view readiness) {
  const std::string_view key = eviction_key(readiness);
  const std::string_view other = key == kNotReadyTaint ? kUnreachableTaint : kNotReadyTaint;
  TaintChange change;
  change.add.push_back(make_taint(key, kNoExecute));
  change.remove.emplace_back(other, kNoExecute);
  return change;
}

TaintChange no_eviction_taint(const k8s::Node& node) {
  TaintChange change;
  for (const std::string_view key : {kNotReadyTaint, kUnreachableTaint}) {
    if (find_taint(node.spec().taints(), key, kNoExecute) != nullptr) {
      change.remove.emplace_back(key, kNoExecute);
    }
  }
  return change;
}

std::optional<Taints> changed_taints(const k8s::Node& node, const TaintChange& change,
                                     SimTime now) {
  Taints taints = node.spec().taints();
  bool changed = false;
  for (const auto& [key, effect] : change.remove) changed |= erase_taint(taints, key, effect);
  for (k8s::Taint taint : change.add) {
    taint.set_time_added(to_ns(now));
    changed |= add_taint(taints, taint);
  }
  if (!changed) return std::nullopt;
  return taints;
}

}  // namespace troupe::workloads
