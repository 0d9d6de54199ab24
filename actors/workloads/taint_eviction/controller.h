// Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer.
//
// kubernetes/kubernetes, pkg/controller/tainteviction/taint_eviction.go. The time that a pod is
// given runs from when this process sees pod and taint together: it begins anew with a new process,
// and a further taint does not shorten it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/objects/taints.h"

namespace troupe::workloads {

class TaintEvictionController final : public SyncingController {
 public:
  TaintEvictionController(SharedInformers& informers, const ControllerOptions& options);

  void start(Context& context) override;

 protected:
  /// Deletes a pod whose time is over.
  void sync(Context& context, const std::string& key) override;

 private:
  /// A pod that is to be deleted at a time.
  struct Eviction {
    std::string uid;
    SimTime since;
    TimerId timer = 0;
  };

  void consider_node(Context& context, const k8s::Node& node);
  void consider_pod(Context& context, const PodPtr& pod);
  void consider(Context& context, const PodPtr& pod, const Taints& taints);
  void schedule(Context& context, const PodPtr& pod, Duration stay);
  void fire(Context& context, const PodPtr& pod);
  void cancel(Context& context, const k8s::Pod& pod);
  void mark(Context& context, const std::string& key, const k8s::Pod& pod);
  void remove(Context& context, const std::string& key, const PodPtr& pod);

  std::map<std::string, Eviction> scheduled_;  ///< by path
  std::map<std::string, std::string> due_;     ///< path -> uid of pods whose time is over
  bool running_ = false;
};

}  // namespace troupe::workloads
