// Pods to be evicted, each tried until it goes: a disruption budget that says no now may say yes
// in a moment.
//
// Karpenter v1, pkg/controllers/node/termination/terminator/eviction.go.
#pragma once

#include <map>
#include <string>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

class EvictionQueue final : public KeyedController {
 public:
  explicit EvictionQueue(Manager& manager);

  /// Nothing if the pod is in the queue already.
  void add(Context& context, const k8s::Pod& pod);

 protected:
  void reconcile(Context& context, const std::string& path) override;

 private:
  void take_answer(Context& context, const std::string& path, const k8s::Pod& pod,
                   const ApiResult& result);
  void leave(Context& context, const std::string& path);

  Manager& manager_;
  std::map<std::string, std::string> uids_;  ///< pod path -> which pod of that name is meant
};

}  // namespace troupe::karpenter
