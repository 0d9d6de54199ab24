// Why a node does not take a pod, in a form that costs nothing to record a thousand times, and its
// texts.
//
// The texts are those that kube-scheduler prints: people paste them into search engines.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "actors/scheduling/pod_info.h"

namespace troupe::scheduling {

/// The plugins that refuse a pod, in the order in which they filter.
enum class Plugin : std::uint8_t {
  None,
  NodeUnschedulable,
  NodeName,
  TaintToleration,
  NodeAffinity,
  NodePorts,
  NodeResourcesFit,
  PodTopologySpread,
  InterPodAffinity,
  SchedulingGates,
};

/// A set of plugins as bits.
using PluginSet = std::uint32_t;
constexpr PluginSet bit(Plugin plugin) {
  return 1U << static_cast<unsigned>(plugin);
}

struct Rejection {
  /// What of NodeResourcesFit fails; from kFirstOther on, the pod's n-th entry of
  /// `requests.others`.
  enum Resource : std::uint32_t {
    kPods = 1U << 0,
    kCpu = 1U << 1,
    kMemory = 1U << 2,
    kEphemeral = 1U << 3,
    kGpu = 1U << 4,
    kFirstOther = 1U << 5,
  };
  /// Which rule of InterPodAffinity or PodTopologySpread fails.
  enum Rule : std::uint32_t {
    kNone,
    kAffinity,
    kAntiAffinity,
    kExistingAntiAffinity,
    kMissingLabel
  };

  Plugin plugin = Plugin::None;
  bool resolvable = false;  ///< evicting pods from the node might help
  std::uint32_t detail = 0;
  const k8s::Taint* taint = nullptr;  ///< lives as long as the snapshot

  explicit operator bool() const { return plugin != Plugin::None; }
  friend auto operator<=>(const Rejection&, const Rejection&) = default;
};

/// The reasons of one rejection: several for a node that is short of several resources.
[[nodiscard]] std::vector<std::string> reasons_of(const Rejection& rejection, const PodInfo& pod);

/// Adds how often each reason occurs.
void count_reasons(std::span<const Rejection> rejections, const PodInfo& pod,
                   std::map<std::string, std::size_t>& counts);

/// "1 node(s) were unschedulable, 8 Insufficient cpu": sorted as text, as kube-scheduler does.
[[nodiscard]] std::string histogram_text(const std::map<std::string, std::size_t>& counts);

}  // namespace troupe::scheduling
