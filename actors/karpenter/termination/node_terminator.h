// What a Node's finalizer stands for: no new pods, the old ones evicted, the instance terminated.
//
// It works for whoever deletes the Node, Karpenter or a person. Karpenter v1,
// pkg/controllers/node/termination. Not modelled: volumes, which take no time to detach.
#pragma once

#include <memory>
#include <string>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"
#include "actors/karpenter/termination/drain.h"
#include "actors/karpenter/termination/eviction_queue.h"

namespace troupe::karpenter {

class NodeTerminator final : public KeyedController {
 public:
  /// pkg/controllers/node/termination: how often a drain is looked at.
  static constexpr Duration kDrainPoll = std::chrono::seconds(1);

  NodeTerminator(Manager& manager, EvictionQueue& evictions);

 protected:
  void reconcile(Context& context, const std::string& name) override;

 private:
  using NodePtr = std::shared_ptr<const k8s::Node>;

  void end_claim(Context& context, const NodePtr& node);
  void check_instance(Context& context, const NodePtr& node);
  void taint(Context& context, const NodePtr& node);
  void drain(Context& context, const NodePtr& node);
  void evict(Context& context, const DrainStep& step, std::optional<SimTime> deadline);
  void note_drain(Context& context, const k8s::Node& node, bool drained);
  void terminate(Context& context, const NodePtr& node);
  void remove_finalizer(Context& context, const NodePtr& node);

  Manager& manager_;
  EvictionQueue& evictions_;
};

}  // namespace troupe::karpenter
