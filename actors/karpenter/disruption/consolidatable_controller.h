// Keeps the condition Consolidatable of each claim, and the time of its last pod event that the
// condition counts from.
//
// Karpenter v1, pkg/controllers/nodeclaim/disruption and pkg/controllers/nodeclaim/podevents.
#pragma once

#include <map>
#include <string>

#include "actors/karpenter/controller.h"
#include "actors/karpenter/manager.h"

namespace troupe::karpenter {

class ConsolidatableController final : public KeyedController {
 public:
  explicit ConsolidatableController(Manager& manager);

 protected:
  void reconcile(Context& context, const std::string& name) override;

 private:
  void watch_pods();
  void note_pod_event(Context& context, const k8s::Pod& pod);

  Manager& manager_;
  std::map<std::string, SimTime> pod_events_;  ///< claim name -> an event that is not written yet
};

}  // namespace troupe::karpenter
