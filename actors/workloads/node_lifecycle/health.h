// When each node last showed that it lives, and what its status is to say once it has been silent
// for too long.
//
// A node lives if its lease was renewed or the heartbeat of its Ready condition moved. Either
// counts from the check that notices it, by the controller's own clock; what the kubelet's clock
// says does not matter. kubernetes/kubernetes,
// pkg/controller/nodelifecycle/node_lifecycle_controller.go: tryUpdateNodeHealth.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "messages/k8s/core.pb.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

struct HealthOptions {
  /// --node-monitor-grace-period: 40 s to 1.31, 50 s since 1.32.
  Duration grace = std::chrono::seconds(50);
  /// --node-startup-grace-period, for a node without a Ready condition, from its creation on.
  Duration startup_grace = std::chrono::seconds(60);
};

/// The status of the node's Ready condition: "True", "False", "Unknown", or empty if it has none.
[[nodiscard]] std::string_view readiness_of(const k8s::Node& node);

/// The node's status with those conditions Unknown that only its kubelet knows; nothing if they are
/// so already.
[[nodiscard]] std::optional<k8s::NodeStatus> silent_status(const k8s::Node& node, SimTime now);

class NodeHealth {
 public:
  explicit NodeHealth(const HealthOptions& options) : options_(options) {}

  /// The node's lease was renewed.
  void renewed(const std::string& node) { renewed_.insert(node); }
  /// One check of a node. True if it has been silent for longer than its grace.
  [[nodiscard]] bool is_silent(const k8s::Node& node, SimTime now);
  void forget(const std::string& node);
  /// Every node's grace begins anew.
  void begin_anew(SimTime now);

 private:
  struct Record {
    std::string uid;
    std::optional<std::int64_t> heartbeat;  ///< of the Ready condition; nothing: there was none
    SimTime seen = kTimeZero;
  };

  HealthOptions options_;
  std::map<std::string, Record> records_;
  std::set<std::string> renewed_;  ///< since their last check
};

}  // namespace troupe::workloads
