// The kubelet's writes to its own Node: registration, status, and the heartbeat.
//
// The status is written at once when the node first becomes ready, else at the next tick of the
// heartbeat if something changed, and every five minutes if nothing did. The lease, renewed at
// every tick, is what tells that the node lives. What the watch shows of the Node is compared with
// what was said: a node that was given up (Ready Unknown) says so anew.
#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "actors/api_client/api_client.h"
#include "actors/kubelet/node_runtime.h"
#include "actors/kubelet/node_status.h"

namespace troupe::kubelet {

class NodeObject {
 public:
  /// kubelet: nodeStatusUpdateFrequency, and a quarter of the lease's 40 s
  /// (nodeLeaseRenewIntervalFraction).
  static constexpr Duration kTick = std::chrono::seconds(10);
  /// kubelet: nodeStatusReportFrequency.
  static constexpr Duration kReport = std::chrono::minutes(5);
  /// kubelet_node_status.go: registerWithAPIServer's first and longest wait between two tries.
  static constexpr Duration kRetryMin = std::chrono::milliseconds(100);
  static constexpr Duration kRetryMax = std::chrono::seconds(7);

  NodeObject(ApiClient& api, NodeRuntime& node) : api_(api), node_(node) {}
  NodeObject(const NodeObject&) = delete;
  NodeObject& operator=(const NodeObject&) = delete;

  /// The container network is up: the node is ready.
  void set_network_ready() { network_ready_ = true; }
  [[nodiscard]] bool network_ready() const { return network_ready_; }

  /// Creates the Node, or takes over the one that is there.
  void register_node(Context& context);
  /// Something of the status changed: to be written at the next tick.
  void changed() { dirty_ = true; }
  void write_now(Context& context);
  void tick(Context& context);
  /// The watch shows the Node.
  void observed(std::shared_ptr<const k8s::Node> node);

 private:
  struct Said {  // of the GPUs and of readiness, as written
    bool ready = false;
    std::set<std::uint32_t> gpus;
  };

  [[nodiscard]] NodeFacts facts(const Context& context) const;
  [[nodiscard]] Said present() const;
  void on_registered(Context& context, const ApiResult& result, const Said& said);
  void on_written(Context& context, const ApiResult& result, const Said& said);
  void acknowledge(Context& context, const ApiResult& result, const Said& said);

  ApiClient& api_;
  NodeRuntime& node_;
  bool network_ready_ = false;
  bool registered_ = false;
  bool writing_ = false;
  bool dirty_ = false;
  Duration retry_ = kRetryMin;
  SimTime last_written_ = kTimeZero;
  std::int64_t revision_ = 0;  ///< of the last acknowledged write
  Said acknowledged_;
  std::shared_ptr<const k8s::Node> seen_;  ///< newest state that the watch showed
};

}  // namespace troupe::kubelet
