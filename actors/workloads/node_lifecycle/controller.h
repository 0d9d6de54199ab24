// Watches over the nodes: says which are unreachable, taints those that are not well, and takes
// readiness from their pods.
//
// Every monitor period it looks at all nodes. kubernetes/kubernetes, pkg/controller/nodelifecycle/
// node_lifecycle_controller.go. Leases do not come from the shared informers: the API servers pass
// each renewal on to it. Not modelled: labels that it reconciles (beta.kubernetes.io/os and arch).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/node_lifecycle/eviction_zones.h"
#include "actors/workloads/node_lifecycle/health.h"
#include "actors/workloads/node_lifecycle/taint_writer.h"

namespace troupe::workloads {

struct NodeLifecycleOptions {
  HealthOptions health;
  /// --node-monitor-period. Here from the begin of one look to that of the next; in the original
  /// from its end.
  Duration monitor_period = std::chrono::seconds(5);
};

[[nodiscard]] NodeLifecycleOptions node_lifecycle_options(const hosts::NodeLifecycleConfig& config);

class NodeLifecycleController final : public SyncingController {
 public:
  /// pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go: NodeEvictionPeriod, between two
  /// looks at the queues.
  static constexpr Duration kEvictionPeriod = std::chrono::milliseconds(100);

  NodeLifecycleController(SharedInformers& informers, const ControllerOptions& options,
                          const NodeLifecycleOptions& lifecycle);

  void start(Context& context) override;

 protected:
  /// The NoSchedule taints of one node.
  void sync(Context& context, const std::string& key) override;

 private:
  using NodePtr = std::shared_ptr<const k8s::Node>;

  /// What one look at a node has found.
  struct Finding {
    NodePtr node;
    bool silent = false;
  };

  struct NextEviction {
    SimTime at;
    TimerId timer = 0;
  };

  void monitor(Context& context);
  [[nodiscard]] std::vector<Finding> look_at_all(Context& context);
  void note_births_and_deaths(Context& context);
  void act(Context& context, const std::vector<Finding>& findings);
  void give_up(Context& context, const NodePtr& node, int tries);
  void on_given_up(Context& context, const k8s::Node& before);
  void set_eviction_taint(Context& context, const k8s::Node& node, std::string_view readiness);
  void clear_eviction_taints(Context& context, const k8s::Node& node);
  void pace_evictions(Context& context, const std::vector<Finding>& findings);
  void evict_next(Context& context);
  void arm_eviction(Context& context);
  void mark_pods_not_ready(Context& context, const std::string& node);

  NodeLifecycleOptions lifecycle_;
  NodeHealth health_;
  EvictionZones zones_;
  TaintWriter taints_;
  std::map<std::string, NodePtr> known_;      ///< the nodes of the last look
  std::set<std::string> pods_to_mark_again_;  ///< nodes of which a pod could not be marked
  std::optional<NextEviction> eviction_;
};

}  // namespace troupe::workloads
