// Which pods the pod garbage collector removes.
//
// kubernetes/kubernetes, pkg/controller/podgc/gc_controller.go.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "actors/workloads/core/shared_informers.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

using PodCache = Informer<k8s::Pod>::Cache;
using NodeCache = Informer<k8s::Node>::Cache;

/// Pods that have ended, evicted ones and then the oldest first, as many as there are beyond the
/// threshold.
[[nodiscard]] std::vector<PodPtr> ended_pods_beyond(const PodCache& pods, std::size_t threshold);
/// Pods that are being deleted and were never bound: no kubelet will end them.
[[nodiscard]] std::vector<PodPtr> unbound_leaving_pods(const PodCache& pods);
/// Pods that are being deleted, of nodes that somebody has declared out of service and that are not
/// ready.
[[nodiscard]] std::vector<PodPtr> pods_out_of_service(const PodsByNode& pods,
                                                      const NodeCache& nodes);

/// Nodes that pods are bound to and that do not exist. A cache may be late, so each is looked for
/// again after a while.
class MissingNodes {
 public:
  /// quarantineTime.
  static constexpr Duration kQuarantine = std::chrono::seconds(40);

  /// The nodes whose time is over and that are still missing; they are forgotten until the next
  /// look.
  [[nodiscard]] std::vector<std::string> look(const PodsByNode& pods, const NodeCache& nodes,
                                              SimTime now);

 private:
  std::map<std::string, SimTime> due_;
};

}  // namespace troupe::workloads
