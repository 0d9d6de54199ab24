// Removes pods that nobody else will ever remove: of nodes that are gone, of unbound pods, and the
// many that have ended.
//
// Every 20 s. A pod that has not ended is Failed first, so that whoever counts it counts it as
// such. kubernetes/kubernetes, pkg/controller/podgc/gc_controller.go.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/pod_gc/plan.h"

namespace troupe::workloads {

class PodGcController final : public SyncingController {
 public:
  /// gcCheckPeriod; here from the begin of one pass to that of the next.
  static constexpr Duration kPeriod = std::chrono::seconds(20);
  /// --terminated-pod-gc-threshold.
  static constexpr std::size_t kEndedPods = 12'500;

  /// `ended_pods`: how many of those may stay; 0: the default.
  PodGcController(SharedInformers& informers, const ControllerOptions& options,
                  std::size_t ended_pods);

  void start(Context& context) override;

 protected:
  /// Removes one pod.
  void sync(Context& context, const std::string& key) override;

 private:
  struct Doom {
    std::string uid;
    bool node_is_gone = false;
  };

  void pass(Context& context);
  void doom(Context& context, const std::vector<PodPtr>& pods);
  void check_node(Context& context, const std::string& node);
  void remove(Context& context, const std::string& key, const k8s::Pod& pod);

  std::size_t ended_pods_;
  MissingNodes missing_;
  std::map<std::string, Doom> doomed_;  ///< by path
};

}  // namespace troupe::workloads
