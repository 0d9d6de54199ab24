// Takes the condition DisruptionTarget back from pods that were not deleted after all.
//
// Who preempts or evicts a pod says so in the pod first and deletes it then. If the second write
// never comes, the pod would look doomed for ever; two minutes later the condition is set to False.
// kubernetes/kubernetes, pkg/controller/disruption/disruption.go: stalePodDisruptionTimeout.
#pragma once

#include <optional>
#include <string>

#include "actors/workloads/core/controller.h"
#include "messages/k8s/pod.pb.h"
#include "messages/sim_time.h"

namespace troupe::workloads {

/// When the pod's condition is stale; nothing if it has none that can become so.
[[nodiscard]] std::optional<SimTime> stale_disruption_at(const k8s::Pod& pod);

class StaleTargetsController final : public SyncingController {
 public:
  StaleTargetsController(SharedInformers& informers, const ControllerOptions& options);

 protected:
  void sync(Context& context, const std::string& key) override;

 private:
  void look(Context& context, const k8s::Pod& pod);
};

}  // namespace troupe::workloads
