// The kube-controller-manager: one process, many controllers, one watch of each kind, and one fate
// in a crash.
#pragma once

#include <memory>
#include <vector>

#include "actors/actor.h"
#include "actors/api_client/api_client.h"
#include "actors/workloads/core/controller.h"
#include "actors/workloads/core/shared_informers.h"
#include "messages/hosts.pb.h"

namespace troupe::workloads {

class ControllerManager final : public Actor {
 public:
  ControllerManager(const hosts::WorkloadControllersConfig& config,
                    const hosts::NodeLifecycleConfig& nodes);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  ApiClient api_;            ///< of the shared informers
  ApiClient operators_api_;  ///< of the kinds that not every cluster has
  SharedInformers informers_;
  std::vector<std::unique_ptr<Controller>> controllers_;
};

/// From a HostStart whose attachments are a WorkloadControllersConfig and perhaps a
/// NodeLifecycleConfig.
[[nodiscard]] std::unique_ptr<Actor> build_controller_manager(const Payload& host_start);

}  // namespace troupe::workloads
